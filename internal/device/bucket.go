package device

import (
	"math"
	"time"
)

// clock is a time in nanoseconds that amounts of less than one can be added to
// without any getting lost: over days no drift builds up.
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

// bucket is a token bucket in the form of two clocks (the generic cell rate
// algorithm): nothing has to be counted up while time goes by, and the same
// requests always get the same answers.
//
// A request is let through when the bucket is not empty, and may take more than
// there is: the next one then waits until the debt is paid. So a request that is
// larger than the whole bucket needs no rule of its own.
type bucket struct {
	refill  float64       // nanoseconds that a token takes to come back; 0: no limit
	spacing float64       // nanoseconds between two tokens at the highest rate
	depth   time.Duration // how long the empty bucket takes to fill
	full    clock         // when the bucket is full again if nothing more comes
	next    clock         // when the highest rate lets the next one through
}

func newBucket(l Limit) bucket {
	if !l.Bounds() {
		return bucket{}
	}
	return bucket{refill: 1e9 / l.Rate, spacing: 1e9 / l.Peak(), depth: l.Refills()}
}

// ready is when a request that came at now may go through.
func (b *bucket) ready(now time.Duration) time.Duration {
	if b.refill == 0 {
		return now
	}
	return max(now, b.next.at, b.full.at-b.depth)
}

// take spends n tokens at a time that ready told.
func (b *bucket) take(at time.Duration, n float64) {
	if b.refill == 0 {
		return
	}
	b.full.from(at)
	b.full.add(n * b.refill)
	b.next.from(at)
	b.next.add(n * b.spacing)
}

// from sets a clock that stands in the past to at.
func (c *clock) from(at time.Duration) {
	if c.at < at {
		*c = clock{at: at}
	}
}

// balance is how full the bucket is, 0 to 1; NaN where it does not burst.
func (b *bucket) balance(now time.Duration) float64 {
	if b.depth == 0 {
		return math.NaN()
	}
	missing := float64(b.full.at-now) / float64(b.depth)
	return 1 - min(max(missing, 0), 1)
}
