package stats

import (
	"fmt"
	"math"
)

// Test is a randomisation test. It is not safe for concurrent use: Interval reorders the list
// that it reads.
type Test struct {
	// samples are the deviations of the units from their mean, in the order measured:
	// one sample of differences, or two independent ones.
	samples   [][]float64
	mean, sd  float64
	low, high float64
	exact     bool // all orders are listed, none drawn
	seed      uint64

	// typical are the thetas at which other orders would give the measured result; orders is
	// half the number of all orders, so (1 + count) / orders is two-sided.
	typical []float64
	orders  float64
	slack   float64
}

// tie is the distance of equal numbers, relative to the greatest value. Sums of the same values
// in another order differ by rounding; a tie counts against a difference.
const tie = 1e-12

// greatest is the greatest accepted value: squares and sums stay finite.
const greatest = 1e100

// N returns the number of units; for independent samples, the size of the smaller one.
func (t *Test) N() int {
	n := len(t.samples[0])
	for _, sample := range t.samples {
		n = min(n, len(sample))
	}
	return n
}

// Mean returns the mean of the differences, or mean(b) - mean(a).
func (t *Test) Mean() float64 { return t.mean }

// SD returns the standard deviation of the units: of the differences, or, pooled, of
// independent values around their own mean. It is 0 for a single unit.
func (t *Test) SD() float64 { return t.sd }

// Range returns the smallest and the greatest difference of the units; for independent
// samples, between any b and any a.
func (t *Test) Range() (low, high float64) { return t.low, t.high }

// P returns the two-sided p-value of the hypothesis that the true effect is theta. It is
// in (0, 1], never 0, and small if the units contradict the hypothesis. P(NaN) is NaN.
func (t *Test) P(theta float64) float64 {
	if math.IsNaN(theta) {
		return theta
	}
	var below, above int
	for _, v := range t.typical {
		if v-t.slack <= theta {
			below++
		}
		if v+t.slack >= theta {
			above++
		}
	}
	return min(1, float64(1+min(below, above))/t.orders)
}

// Interval returns the set of all theta with P(theta) > alpha: a confidence interval with the
// level 1 - alpha. ok is false if alpha is outside (0, 1), or so small that with so few units
// no theta would be rejected.
func (t *Test) Interval(alpha float64) (low, high float64, ok bool) {
	k := rank(alpha, t.orders)
	if k == 0 {
		return 0, 0, false
	}
	low = smallest(t.typical, k) - t.slack
	high = smallest(t.typical, len(t.typical)+1-k) + t.slack
	return low, high, true
}

// rank returns how many typical values lie outside either end of an interval, plus one: the
// greatest k with k/orders <= alpha; 0 if there is none. It divides as P does, because
// alpha*orders alone may round to the other side.
func rank(alpha, orders float64) int {
	if !(alpha > 0 && alpha < 1) {
		return 0
	}
	k := math.Floor(alpha * orders)
	if (k+1)/orders <= alpha {
		k++
	}
	if k/orders > alpha {
		k--
	}
	return int(k)
}

// leastAlpha returns the smallest alpha with an interval.
func (t *Test) leastAlpha() float64 { return 1 / t.orders }

// check rejects values that cannot be tested.
func check(samples ...[]float64) error {
	for _, sample := range samples {
		if len(sample) == 0 {
			return fmt.Errorf("cannot test a difference: no values")
		}
		for _, v := range sample {
			if math.IsNaN(v) || math.Abs(v) > greatest {
				return fmt.Errorf("cannot test a difference: %v is not a finite number below %g", v, greatest)
			}
		}
	}
	return nil
}

// slackOf returns the width of a tie among values.
func slackOf(samples ...[]float64) float64 {
	most := 0.0
	for _, sample := range samples {
		for _, v := range sample {
			most = max(most, math.Abs(v))
		}
	}
	return tie * most
}
