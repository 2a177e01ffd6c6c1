package pgbench

import (
	"math/bits"

	"plinth/internal/record"
)

// The geometry of record.NewHistogram, as array indexes: values below 2048 ns
// have a bucket each, and every doubling above is split into 1024 buckets.
const (
	subBits   = 10
	bucketsUp = 33 << subBits // covers record.LongestLatency
)

// counts is a latency histogram with the buckets of record.NewHistogram. The
// library's own histogram is not used while decoding: its 64-bit counters and
// its encoder, which allocates a compressor each time, cost more than all the
// rest of the decoding. lo and hi bound the buckets in use, so that emptying and
// scanning touch a few kilobytes.
type counts struct {
	n      [bucketsUp]uint32
	lo, hi int
	total  int64
}

func newCounts() *counts { return &counts{lo: bucketsUp} }

// add counts one latency in microseconds.
func (c *counts) add(micros uint32) { c.addAt(bucketOf(micros), 1) }

func (c *counts) addAt(bucket int, n uint32) {
	c.n[bucket] += n
	c.total += int64(n)
	c.lo = min(c.lo, bucket)
	c.hi = max(c.hi, bucket)
}

func (c *counts) merge(from *counts) {
	for b := from.lo; b <= from.hi; b++ {
		if n := from.n[b]; n != 0 {
			c.addAt(b, n)
		}
	}
}

func (c *counts) reset() {
	if c.total > 0 {
		clear(c.n[c.lo : c.hi+1])
	}
	c.lo, c.hi, c.total = bucketsUp, 0, 0
}

// bucketOf is the bucket of a latency. What is longer than the longest latency
// of a histogram, one hour, is counted in its last bucket; sums and maxima keep
// the true value.
func bucketOf(micros uint32) int {
	ns := min(uint64(micros)*1000, uint64(record.LongestLatency))
	shift := bits.Len64(ns|(2<<subBits-1)) - (subBits + 1)
	return shift<<subBits + int(ns>>shift)
}

// lowest is the smallest value of a bucket, in nanoseconds.
func lowest(bucket int) int64 {
	shift := max(bucket>>subBits-1, 0)
	return int64(bucket-shift<<subBits) << shift
}

// highest is the largest value of a bucket, in nanoseconds: what HDR histograms
// report for a percentile that falls into it.
func highest(bucket int) int64 {
	shift := max(bucket>>subBits-1, 0)
	return lowest(bucket) + int64(1)<<shift - 1
}

// quantiles fills out with the values at the ascending fractions qs, by the
// library's own definition of the rank. c must not be empty.
func (c *counts) quantiles(qs []float64, out []int64) {
	seen, b := int64(0), c.lo-1
	for i, q := range qs {
		rank := min(max(int64(q*float64(c.total)+0.5), 1), c.total)
		for seen < rank {
			b++
			seen += int64(c.n[b])
		}
		out[i] = highest(b)
	}
}
