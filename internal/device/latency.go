package device

import (
	"math"
	"time"

	"plinth/internal/unit"
)

// z99 is how many standard deviations above the median 99 in 100 of a normal
// distribution lie.
const z99 = 2.3263478740408408

// sigma is the standard deviation of the latency's logarithm; 0 for a constant.
func (l Latency) sigma() float64 {
	if l.Median <= 0 || l.P99 <= l.Median {
		return 0
	}
	return math.Log(float64(l.P99)/float64(l.Median)) / z99
}

// Quantile is how long the share p of all takes at most, p between 0 and 1. Those
// two themselves stand for six standard deviations: no latency is infinite.
func (l Latency) Quantile(p float64) time.Duration {
	return newCurve(l).at(p)
}

// Mean is longer than the median: the tail is on one side.
func (l Latency) Mean() time.Duration {
	s := l.sigma()
	return time.Duration(float64(l.Median) * math.Exp(s*s/2))
}

// Scaled is l with all quantiles times factor.
func (l Latency) Scaled(factor float64) Latency {
	scale := func(d unit.Duration) unit.Duration { return unit.Duration(math.Round(float64(d) * factor)) }
	return Latency{Median: scale(l.Median), P99: scale(l.P99)}
}

// curve is a Latency made ready to be sampled often.
type curve struct {
	median, sigma float64 // nanoseconds; of the logarithm
}

func newCurve(l Latency) curve { return curve{float64(l.Median), l.sigma()} }

// sixSigma is the share beyond six standard deviations.
const sixSigma = 9.865876e-10

func (c curve) at(u float64) time.Duration {
	if c.sigma == 0 {
		return time.Duration(c.median)
	}
	u = min(max(u, sixSigma), 1-sixSigma)
	z := math.Sqrt2 * math.Erfinv(2*u-1)
	return time.Duration(c.median * math.Exp(c.sigma*z))
}

// Cached says whether a durable write to the device, or to a member of an array, ends
// with a flush: its writes end in a volatile cache.
func (d Device) Cached() bool {
	if d.Array != nil && d.Array.Of != nil {
		return d.Array.Of.WriteCache
	}
	return d.WriteCache
}
