// Package latency counts latencies for the drivers of load generators: it keeps one histogram per
// second, and writes the histogram log of a run.
package latency

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"

	"github.com/HdrHistogram/hdrhistogram-go"

	"plinth/internal/record"
)

// The geometry of record.NewHistogram, as array indexes: values below 2048 ns have a bucket
// each, and every doubling above is split into 1024 buckets.
const (
	subBits = 10
	buckets = 33 << subBits // covers record.LongestLatency
)

// Counts is a histogram of latencies with the buckets of record.NewHistogram. The library's
// own is not used during a load: its 64-bit counters take twice the cache, and its encoder
// allocates a new compressor each time. lo and hi bound the buckets in use, so that
// resetting and scanning touch a few kilobytes.
//
// The zero value is not ready to use: call New.
type Counts struct {
	n      [buckets]uint32
	lo, hi int
	total  int64
}

// New returns an empty histogram.
func New() *Counts { return &Counts{lo: buckets} }

// Add counts one latency in nanoseconds. Anything longer than the longest latency of a
// histogram, one hour, is counted in its last bucket.
func (c *Counts) Add(nanos int64) { c.addAt(bucketOf(nanos), 1) }

func (c *Counts) addAt(bucket int, n uint32) {
	c.n[bucket] += n
	c.total += int64(n)
	c.lo = min(c.lo, bucket)
	c.hi = max(c.hi, bucket)
}

// AddBucket counts n latencies in a bucket of record.NewHistogram, by its index, as a histogram
// log has them. It returns an error, and counts nothing, if there is no such bucket, or if the
// latencies became too many for the counters.
func (c *Counts) AddBucket(bucket int, n int64) error {
	if bucket < 0 || bucket >= buckets || n < 0 || n+c.total > math.MaxUint32 {
		return errForm
	}
	if n > 0 {
		c.addAt(bucket, uint32(n))
	}
	return nil
}

// Total returns how many latencies were counted.
func (c *Counts) Total() int64 { return c.total }

// Merge adds the counts of another histogram.
func (c *Counts) Merge(from *Counts) {
	for b := from.lo; b <= from.hi; b++ {
		if n := from.n[b]; n != 0 {
			c.addAt(b, n)
		}
	}
}

// Reset empties c.
func (c *Counts) Reset() {
	if c.total > 0 {
		clear(c.n[c.lo : c.hi+1])
	}
	c.lo, c.hi, c.total = buckets, 0, 0
}

// AddTo adds the counts of c to a histogram of record.NewHistogram: without loss, since the
// buckets are the same.
func (c *Counts) AddTo(h *hdrhistogram.Histogram) {
	for b := c.lo; b <= c.hi; b++ {
		if n := c.n[b]; n != 0 {
			_ = h.RecordValues(lowest(b), int64(n)) // no bucket exceeds the longest latency
		}
	}
}

// Append appends c in a compact form: the number of buckets in use, then for each its
// distance from the previous one and its count.
func (c *Counts) Append(b []byte) []byte {
	used := uint64(0)
	for i := c.lo; i <= c.hi; i++ {
		if c.n[i] != 0 {
			used++
		}
	}
	b = binary.AppendUvarint(b, used)
	last := 0
	for i := c.lo; i <= c.hi; i++ {
		if n := c.n[i]; n != 0 {
			b = binary.AppendUvarint(b, uint64(i-last))
			b = binary.AppendUvarint(b, uint64(n))
			last = i
		}
	}
	return b
}

var errForm = errors.New("not a histogram")

// Decode adds what Append wrote to c, and returns the bytes that follow it.
func (c *Counts) Decode(b []byte) (rest []byte, err error) {
	used, n := binary.Uvarint(b)
	if n <= 0 {
		return nil, errForm
	}
	b = b[n:]
	bucket := uint64(0)
	for range used {
		step, n := binary.Uvarint(b)
		if n <= 0 || step >= buckets {
			return nil, errForm
		}
		count, m := binary.Uvarint(b[n:])
		if m <= 0 || count > 1<<32-1 || bucket+step >= buckets {
			return nil, errForm
		}
		bucket += step
		c.addAt(int(bucket), uint32(count))
		b = b[n+m:]
	}
	return b, nil
}

// bucketOf returns the bucket of a latency.
func bucketOf(nanos int64) int {
	ns := uint64(min(max(nanos, 0), record.LongestLatency))
	shift := bits.Len64(ns|(2<<subBits-1)) - (subBits + 1)
	return shift<<subBits + int(ns>>shift)
}

// lowest returns the smallest value of a bucket, in nanoseconds.
func lowest(bucket int) int64 {
	shift := max(bucket>>subBits-1, 0)
	return int64(bucket-shift<<subBits) << shift
}

// highest returns the largest value of a bucket, in nanoseconds: what HDR histograms report
// for a percentile that falls into it.
func highest(bucket int) int64 {
	shift := max(bucket>>subBits-1, 0)
	return lowest(bucket) + int64(1)<<shift - 1
}

// Quantiles fills out with the values at the ascending fractions qs, by the library's own
// definition of the rank. c must not be empty.
func (c *Counts) Quantiles(qs []float64, out []int64) {
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
