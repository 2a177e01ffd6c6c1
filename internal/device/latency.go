package device

import (
	"math"
	"time"

	"plinth/internal/unit"
)

// z99 is the 99 % quantile of the standard normal distribution.
const z99 = 2.3263478740408408

// sigma returns the standard deviation of the latency's logarithm; 0 for a constant.
func (l Latency) sigma() float64 {
	if l.Median <= 0 || l.P99 <= l.Median {
		return 0
	}
	return math.Log(float64(l.P99)/float64(l.Median)) / z99
}

// Quantile returns the p-quantile, p from 0 to 1. It is limited to six standard deviations on
// either side, so that the result for p = 1 is finite.
func (l Latency) Quantile(p float64) time.Duration {
	return newCurve(l).at(p)
}

// Mean returns the mean, which is above the median, as the tail is on one side.
func (l Latency) Mean() time.Duration {
	s := l.sigma()
	return time.Duration(float64(l.Median) * math.Exp(s*s/2))
}

// Scaled returns l with all quantiles multiplied by factor.
func (l Latency) Scaled(factor float64) Latency {
	scale := func(d unit.Duration) unit.Duration { return unit.Duration(math.Round(float64(d) * factor)) }
	return Latency{Median: scale(l.Median), P99: scale(l.P99)}
}

// curve is a Latency prepared for fast sampling.
type curve struct {
	median, sigma float64 // median in nanoseconds; sigma of the logarithm
}

func newCurve(l Latency) curve { return curve{float64(l.Median), l.sigma()} }

// sixSigma is the probability beyond six standard deviations on one side.
const sixSigma = 9.865876e-10

func (c curve) at(u float64) time.Duration {
	if c.sigma == 0 {
		return time.Duration(c.median)
	}
	u = min(max(u, sixSigma), 1-sixSigma)
	z := math.Sqrt2 * math.Erfinv(2*u-1)
	return time.Duration(c.median * math.Exp(c.sigma*z))
}

// Cached reports whether the device, or the member of an array, has a volatile write
// cache, so that a durable write needs a flush.
func (d Device) Cached() bool {
	if d.Array != nil && d.Array.Of != nil {
		return d.Array.Of.WriteCache
	}
	return d.WriteCache
}
