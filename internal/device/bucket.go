package device

import (
	"math"
	"time"
)

// clock is a time in nanoseconds that keeps fractions of a nanosecond, so that sums do
// not drift over days.
type clock struct {
	at   time.Duration
	part float64 // of a nanosecond
}

func (c *clock) add(ns float64) {
	ns += c.part
	whole := math.Floor(ns)
	c.at += time.Duration(whole)
	c.part = ns - whole
}

// bucket is a token bucket implemented with two clocks (the generic cell rate
// algorithm): there is no counter to update as time passes, and the same requests always
// get the same results.
//
// A request passes when the bucket is not empty, and may take more tokens than it holds:
// the next request then waits until the debt is paid. So a request larger than the whole
// bucket needs no special case.
type bucket struct {
	refill  float64       // nanoseconds to refill one token; 0: no limit
	spacing float64       // nanoseconds between two tokens at the highest rate
	depth   time.Duration // how long the empty bucket takes to fill
	full    clock         // when the bucket is full again without further requests
	next    clock         // when the highest rate admits the next request
}

func newBucket(l Limit) bucket {
	if !l.Bounds() {
		return bucket{}
	}
	return bucket{refill: 1e9 / l.Rate, spacing: 1e9 / l.Peak(), depth: l.Refills()}
}

// ready returns when a request that arrived at now may pass.
func (b *bucket) ready(now time.Duration) time.Duration {
	if b.refill == 0 {
		return now
	}
	return max(now, b.next.at, b.full.at-b.depth)
}

// take spends n tokens at a time that ready returned.
func (b *bucket) take(at time.Duration, n float64) {
	if b.refill == 0 {
		return
	}
	b.full.from(at)
	b.full.add(n * b.refill)
	b.next.from(at)
	b.next.add(n * b.spacing)
}

// from advances the clock to at if it is earlier.
func (c *clock) from(at time.Duration) {
	if c.at < at {
		*c = clock{at: at}
	}
}

// balance returns how full the bucket is, 0 to 1; NaN if it does not burst.
func (b *bucket) balance(now time.Duration) float64 {
	if b.depth == 0 {
		return math.NaN()
	}
	missing := float64(b.full.at-now) / float64(b.depth)
	return 1 - min(max(missing, 0), 1)
}
