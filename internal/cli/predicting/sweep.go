package predicting

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/prediction"
	"plinth/internal/record"
	"plinth/internal/report/predicted"
	"plinth/internal/unit"
)

// sweep predicts the values of one key, from one cell.
func sweep(rec *record.Record, environment string, cells []experiment.Cell, q prediction.Question, text string) (*predicted.Swept, error) {
	key, values, err := parseWhatIf(text)
	if err != nil {
		return nil, hint.Wrap(fmt.Errorf("--what-if: %w", err), hint.Of(err))
	}
	if len(cells) > 1 {
		return nil, hint.Errorf("add --workload "+cells[0].Workload+" --clients "+strconv.Itoa(cells[0].Clients), "--what-if predicts from one cell, and %d were measured", len(cells))
	}
	ref, err := prediction.Of(rec, environment, cells[0])
	if err != nil {
		return nil, err
	}
	if key == prediction.SweepMemory || key == prediction.SweepBuffers || q.Memory > 0 || q.SharedBuffers > 0 {
		ref.Learn(rec)
	}
	s, err := ref.Sweep(q, key, values)
	if err != nil {
		return nil, err
	}
	swept := &predicted.Swept{Cell: cells[0], Sweep: s}
	if key == prediction.SweepIOPS {
		swept.Measured = ref.MeasuredIOPS(rec, q)
	}
	return swept, nil
}

// points is the number of values between the ends of a range, ends included.
const points = 12

const whatIfHint = "write iops=250..4000, throughput=60MiB/s..250MiB/s, latency=500us..5ms, clients=4,8,16, cpus=1..8, memory=1GiB..8GiB or shared_buffers=64MiB..1GiB"

// parseWhatIf reads KEY=FROM..TO or KEY=A,B,C.
func parseWhatIf(text string) (key string, values []float64, err error) {
	key, rest, found := strings.Cut(text, "=")
	if !found || !slices.Contains(prediction.SweepKeys, key) {
		return "", nil, hint.Errorf(hint.DidYouMean(key, prediction.SweepKeys, whatIfHint), "cannot vary %q", text)
	}
	parse := func(word string) float64 {
		v, one := sweepValue(key, strings.TrimSpace(word))
		if one == nil && !(v > 0 && v < 1e15) {
			one = fmt.Errorf("%q is not a positive number", word)
		}
		err = cmp.Or(err, one)
		return v
	}
	from, to, isRange := strings.Cut(rest, "..")
	if !isRange {
		for word := range strings.SplitSeq(rest, ",") {
			values = append(values, parse(word))
		}
		return key, values, hint.Wrap(err, whatIfHint)
	}
	low, high := parse(from), parse(to)
	if err == nil && low >= high {
		err = fmt.Errorf("the range %s is empty", rest)
	}
	if err != nil {
		return "", nil, hint.Wrap(err, whatIfHint)
	}
	for i := range points {
		v := low * math.Pow(high/low, float64(i)/(points-1))
		if key != prediction.SweepLatency {
			v = math.Round(v)
		}
		if len(values) == 0 || v > values[len(values)-1] {
			values = append(values, v)
		}
	}
	return key, values, nil
}

func sweepValue(key, word string) (float64, error) {
	switch key {
	case prediction.SweepThroughput:
		r, err := unit.ParseRate(word)
		return float64(r), err
	case prediction.SweepMemory:
		size, err := unit.ParseSize(word)
		return float64(size), err
	case prediction.SweepBuffers:
		size, err := prediction.BufferSize(word)
		return float64(size), err
	case prediction.SweepLatency:
		d, err := unit.ParseDuration(word)
		return d.Seconds(), err
	}
	n, err := strconv.Atoi(word)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is not a positive whole number", word)
	}
	return float64(n), nil
}
