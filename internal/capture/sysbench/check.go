package sysbench

import (
	"math"
	"strconv"

	"plinth/internal/capture"
	"plinth/internal/record"
)

const (
	// step is the width of the steps of the histogram: 1024 from 0.001 ms to 100 s, on a logarithmic
	// scale (sb_histogram.c).
	step = 0.0182
	// rounding is that of latencies, which have two decimals of a millisecond.
	rounding = 5000
)

// check returns what contradicts itself.
func (r *reader) check(run capture.Run) []record.Note {
	var notes []record.Note
	add := func(format string, args ...any) { notes = append(notes, capture.Contradicts(format, args...)) }
	result := run.Result
	if text := r.times.Disorder(capture.Precision{Step: step, Round: rounding}); text != "" {
		add("of the latency, %s", text)
	}
	if parts := r.counts["read"] + r.counts["write"] + r.counts["other"]; r.counts["total"] > 0 && parts != r.counts["total"] {
		add("%d reads, %d writes and %d other queries are %d, but the total is %d", r.counts["read"], r.counts["write"], r.counts["other"], parts, r.counts["total"])
	}
	if rate := float64(result.Transactions) / result.Duration; result.Duration > 0 && math.Abs(rate-result.TPS) > 0.01*rate+0.01 {
		add("%d transactions / %g s = %s/s, but it reports %s/s", result.Transactions, result.Duration, digits(rate), digits(result.TPS))
	}
	if mean := r.sum / float64(r.events); r.events > 0 && r.sum > 0 && r.times.Mean > 0 && math.Abs(mean-r.times.Mean) > 0.01*mean+rounding {
		add("the sum of the latencies / %d events = %s, but the latency average is %s", r.events, capture.Milliseconds(mean), capture.Milliseconds(r.times.Mean))
	}
	return append(append(notes, capture.Occupation(run, r.times.Mean, rounding)...), r.aboveMaximum()...)
}

// aboveMaximum explains a percentile above the maximum.
func (r *reader) aboveMaximum() []record.Note {
	for _, p := range r.times.Percentiles {
		if high := float64(r.times.Max) * (1 + step); r.times.Max > 0 && p.Value > r.times.Max && float64(p.Value) <= high+2*rounding {
			return []record.Note{{Rule: capture.Unclear, Text: "the " + strconv.FormatFloat(p.Share, 'f', -1, 64) + "th percentile (" + capture.Milliseconds(float64(p.Value)) +
				") is above the maximum (" + capture.Milliseconds(float64(r.times.Max)) + "): percentiles are the upper ends of the histogram's steps, which are 1.8 % wide"}}
		}
	}
	return nil
}

func digits(x float64) string {
	return strconv.FormatFloat(capture.Digits(x, 6), 'f', -1, 64)
}
