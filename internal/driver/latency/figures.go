package latency

import (
	"github.com/HdrHistogram/hdrhistogram-go"

	"plinth/internal/record"
)

// The percentiles of every second, in the order of Shown: the median, the 95th, the 99th and the
// 99.9th.
var quantilesShown = []float64{0.50, 0.95, 0.99, 0.999}

// Shown returns the percentiles of a second (p50, p95, p99 and p99.9), in nanoseconds. longest is
// the slowest transaction, which the upper end of a bucket may exceed. c must not be empty.
func (c *Counts) Shown(longest float64) (q [4]float64) {
	var at [4]int64
	c.Quantiles(quantilesShown, at[:])
	for i, v := range at {
		q[i] = min(float64(v), longest)
	}
	return q
}

// Summarise returns the latency of a window. mean and longest are exact, from the transactions
// themselves; all else is the histogram's.
func Summarise(h *hdrhistogram.Histogram, mean float64, longest int64) record.Latency {
	l := record.Summarise(h)
	l.Mean, l.Max = mean, longest
	for _, p := range []*int64{&l.P50, &l.P95, &l.P99, &l.P999} {
		*p = min(*p, longest) // the upper end of a bucket may exceed the slowest transaction
	}
	return l
}
