package fio

import (
	"maps"
	"math"
	"slices"
	"time"
)

// Histogram maps latencies to counts: fio's own bins, each by its middle. A bin is at most
// 1.6 % wide.
type Histogram map[time.Duration]int64

// Add adds the counts of another histogram.
func (h Histogram) Add(other Histogram) {
	for value, count := range other {
		h[value] += count
	}
}

// Count returns the total count.
func (h Histogram) Count() (n int64) {
	for _, count := range h {
		n += count
	}
	return n
}

// Quantile returns the value that the share p, from 0 to 1, does not exceed; 0 if h is
// empty.
func (h Histogram) Quantile(p float64) time.Duration {
	rank := int64(math.Ceil(p * float64(h.Count())))
	var seen int64
	var last time.Duration
	for _, value := range slices.Sorted(maps.Keys(h)) {
		seen += h[value]
		last = value
		if seen >= max(rank, 1) {
			break
		}
	}
	return last
}

// Mean returns the mean of all values; 0 if h is empty.
func (h Histogram) Mean() time.Duration {
	n, sum := h.Count(), 0.0
	for value, count := range h {
		sum += float64(value) * float64(count)
	}
	if n == 0 {
		return 0
	}
	return time.Duration(sum / float64(n))
}
