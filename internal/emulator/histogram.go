package emulator

import (
	"math"
	"math/bits"
	"time"
)

// Histogram counts durations in buckets that are at most 1/16 of their value wide. It is not an
// HDR histogram, because two readings have to be subtracted, and counting must not allocate.
type Histogram struct {
	Count   int64         `json:"count"`
	Sum     time.Duration `json:"sum_ns"`
	Buckets []int64       `json:"buckets"` // without trailing empty buckets
}

// Below 16 units, each unit has its own bucket; above, each power of two has 16.
const (
	histogramUnit    = 256 * time.Nanosecond
	histogramSteps   = 16
	histogramBuckets = 32 * histogramSteps // up to 256 ns x 2^35: over two hours
)

// bucketOf returns the index of d's bucket.
func bucketOf(d time.Duration) int {
	n := uint64(max(d, 0) / histogramUnit)
	if n < histogramSteps {
		return int(n)
	}
	doublings := bits.Len64(n) - 5 // 0 for 16 to 31
	return min(histogramSteps*(doublings+1)+int(n>>doublings)-histogramSteps, histogramBuckets-1)
}

// upperBound returns the exclusive upper bound of bucket i.
func upperBound(i int) time.Duration {
	if i < histogramSteps {
		return time.Duration(i+1) * histogramUnit
	}
	doublings := i/histogramSteps - 1
	return time.Duration(histogramSteps+i%histogramSteps+1) << doublings * histogramUnit
}

// add counts d. The buckets must be allocated (newHistogram).
func (h *Histogram) add(d time.Duration) {
	h.Count++
	h.Sum += max(d, 0)
	h.Buckets[bucketOf(d)]++
}

func newHistogram() Histogram {
	return Histogram{Buckets: make([]int64, histogramBuckets)}
}

// copied returns a copy of h without trailing empty buckets.
func (h *Histogram) copied() Histogram {
	end := len(h.Buckets)
	for end > 0 && h.Buckets[end-1] == 0 {
		end--
	}
	return Histogram{h.Count, h.Sum, append([]int64(nil), h.Buckets[:end]...)}
}

// since returns what h counted after earlier.
func (h Histogram) since(earlier Histogram) Histogram {
	d := Histogram{h.Count - earlier.Count, h.Sum - earlier.Sum, append([]int64(nil), h.Buckets...)}
	for i := range min(len(d.Buckets), len(earlier.Buckets)) {
		d.Buckets[i] -= earlier.Buckets[i]
	}
	return d
}

// quantile returns the upper bound of the bucket that contains quantile p of h, which must not be
// empty.
func (h Histogram) quantile(p float64) time.Duration {
	rank, seen := int64(math.Ceil(p*float64(h.Count))), int64(0)
	for i, n := range h.Buckets {
		if seen += n; seen >= rank && n > 0 {
			return upperBound(i)
		}
	}
	return 0
}
