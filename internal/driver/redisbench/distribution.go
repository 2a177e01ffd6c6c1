package redisbench

import (
	"errors"
	"math"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"plinth/internal/record"
)

// step is a line of a report's distribution: how many requests took up to a given time.
type step struct {
	value float64 // seconds
	share float64 // of all
	count int64   // number of requests; -1 where the line has none (before 6.2)
	whole bool    // the value is in whole milliseconds
}

// bar is a number of requests whose latency lies between two times, in nanoseconds.
type bar struct {
	above, until int64
	count        int64
}

var errDistribution = errors.New("the latencies of its report contradict each other")

// distribution converts the steps to a histogram, and computes the summary where it is
// missing.
func (r *report) distribution(asked int64) error {
	var bars []bar
	var err error
	if r.steps[0].count < 0 {
		bars, err = sharedBars(r.steps, min(asked, r.requests))
	} else {
		bars, err = countedBars(r.known())
	}
	if err != nil {
		return err
	}
	r.histogram = record.NewHistogram()
	for _, b := range bars {
		b.fill(r.histogram)
	}
	if !r.detailed { // versions before 6.2 print no summary
		h := r.histogram
		at := h.ValueAtPercentilesSlice([]float64{50, 95, 99})
		r.mean, r.least, r.most = h.Mean()/1e9, float64(h.Min())/1e9, float64(h.Max())/1e9
		r.p50, r.p95, r.p99 = float64(at[0])/1e9, float64(at[1])/1e9, float64(at[2])/1e9
	}
	return nil
}

// known returns the counted steps and those of the summary, by value. The table of
// percentiles and that of equal steps are merged: each has counts at different times.
func (r *report) known() []step {
	all := slices.Clone(r.steps)
	total := all[len(all)-1].count
	if r.detailed {
		for share, value := range map[float64]float64{0.50: r.p50, 0.95: r.p95, 0.99: r.p99} {
			there := slices.ContainsFunc(all, func(s step) bool { return s.value == value })
			if !there {
				all = append(all, step{value: value, count: int64(math.Ceil(share * float64(total)))})
			}
		}
		// The last of the equal steps ends above the longest latency.
		for i := range all {
			all[i].value = min(all[i].value, r.most)
		}
		all = append(all, step{value: r.least, count: 0}) // none is below it
	}
	slices.SortStableFunc(all, func(a, b step) int {
		switch {
		case a.value != b.value && a.value < b.value:
			return -1
		case a.value != b.value:
			return 1
		}
		return int(min(1, max(-1, a.count-b.count)))
	})
	return all
}

// countedBars returns the requests between steps with counts.
func countedBars(steps []step) ([]bar, error) {
	var bars []bar
	above, before := int64(0), int64(0)
	for i, s := range steps {
		until := nanoseconds(s.value)
		switch {
		case s.count < before && i > 0 && steps[i-1].value < s.value-1e-9:
			return nil, errDistribution
		case s.count > before:
			bars = append(bars, bar{min(above, until), until, s.count - before})
			before = s.count
		}
		above = until
	}
	return bars, nil
}

// sharedBars returns the requests of the steps of 6.0, which have shares. The list goes
// through all latencies in order and prints one if it is the first in its bucket of 1 µs,
// or from 2 ms on of 1 ms, of which it prints the lower end; and the last one. So the
// requests of a bucket are those up to the next line; they are counted at its middle.
func sharedBars(steps []step, total int64) ([]bar, error) {
	var bars []bar
	for i, s := range steps {
		first := int64(math.Round(s.share*float64(total))) - 1
		next := total
		if i+1 < len(steps) {
			next = int64(math.Round(steps[i+1].share*float64(total))) - 1
		}
		if i == 0 {
			first = 0
		}
		if first > next || i > 0 && s.value < steps[i-1].value {
			return nil, errDistribution
		}
		width := time.Microsecond
		if s.whole {
			width = time.Millisecond
		}
		if next > first {
			middle := nanoseconds(s.value) + width.Nanoseconds()/2
			bars = append(bars, bar{middle, middle, next - first})
		}
	}
	return bars, nil
}

// mostParts is the maximum number of equal parts into which a bar is spread.
const mostParts = 64

// fill spreads a bar's requests evenly, the last of them at its end: all of them at its end
// would make every percentile between two lines, and the mean, too large.
func (b bar) fill(h *hdrhistogram.Histogram) {
	parts := min(b.count, mostParts)
	for i := range parts {
		n := b.count*(i+1)/parts - b.count*i/parts
		at := b.above + int64(float64(b.until-b.above)*float64(i+1)/float64(parts))
		_ = h.RecordValues(min(max(at, 1), record.LongestLatency), n)
	}
}

// latency returns the report's summary with the histogram of its distribution. Deviation
// and the 99.9th percentile come from the histogram.
func (r *report) latency() record.Latency {
	l := record.Summarise(r.histogram)
	if r.detailed {
		l.Mean, l.Min, l.Max = r.mean*1e9, nanoseconds(r.least), nanoseconds(r.most)
		l.P50, l.P95, l.P99 = nanoseconds(r.p50), nanoseconds(r.p95), nanoseconds(r.p99)
		l.P999 = min(max(l.P999, l.P99), l.Max)
	}
	return l
}

// nanoseconds converts a time that was printed in microseconds or coarser.
func nanoseconds(seconds float64) int64 {
	return int64(math.Round(min(seconds, 3600)*1e6)) * 1000
}
