package emulator

import (
	"math"
	"math/bits"
	"time"
)

// Histogram counts durations in buckets that are 1/16 of their value wide. It has
// its own form, and not an HDR histogram's, because one is made of two readings
// by subtraction, and counting must not allocate.
type Histogram struct {
	Count   int64         `json:"count"`
	Sum     time.Duration `json:"sum_ns"`
	Buckets []int64       `json:"buckets"` // without the empty ones at the end
}

// Below 16 units each has a bucket of its own; from there on each doubling has 16.
const (
	histogramUnit    = 256 * time.Nanosecond
	histogramSteps   = 16
	histogramBuckets = 32 * histogramSteps // up to 256 ns x 2^35: over two hours
)

// bucketOf is where d is counted.
func bucketOf(d time.Duration) int {
	n := uint64(max(d, 0) / histogramUnit)
	if n < histogramSteps {
		return int(n)
	}
	doublings := bits.Len64(n) - 5 // 0 for 16 to 31
	return min(histogramSteps*(doublings+1)+int(n>>doublings)-histogramSteps, histogramBuckets-1)
}

// upperBound is the end of bucket i: what is counted there is less.
func upperBound(i int) time.Duration {
	if i < histogramSteps {
		return time.Duration(i+1) * histogramUnit
	}
	doublings := i/histogramSteps - 1
	return time.Duration(histogramSteps+i%histogramSteps+1) << doublings * histogramUnit
}

// add counts d. The buckets are there already (newHistogram).
func (h *Histogram) add(d time.Duration) {
	h.Count++
	h.Sum += max(d, 0)
	h.Buckets[bucketOf(d)]++
}

func newHistogram() Histogram {
	return Histogram{Buckets: make([]int64, histogramBuckets)}
}

// copied is h as it is now, without the empty buckets at its end.
func (h *Histogram) copied() Histogram {
	end := len(h.Buckets)
	for end > 0 && h.Buckets[end-1] == 0 {
		end--
	}
	return Histogram{h.Count, h.Sum, append([]int64(nil), h.Buckets[:end]...)}
}

// since is what was counted in h after earlier.
func (h Histogram) since(earlier Histogram) Histogram {
	d := Histogram{h.Count - earlier.Count, h.Sum - earlier.Sum, append([]int64(nil), h.Buckets...)}
	for i := range min(len(d.Buckets), len(earlier.Buckets)) {
		d.Buckets[i] -= earlier.Buckets[i]
	}
	return d
}

// quantile is the upper bound of the bucket that holds the quantile p of h, which
// is not empty.
func (h Histogram) quantile(p float64) time.Duration {
	rank, seen := int64(math.Ceil(p*float64(h.Count))), int64(0)
	for i, n := range h.Buckets {
		if seen += n; seen >= rank && n > 0 {
			return upperBound(i)
		}
	}
	return 0
}
