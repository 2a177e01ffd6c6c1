package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Detectable returns the smallest true effect, on the scale of the units, that is found to be a
// difference at alpha with this power (the share of trials, in (0, 1)), if units vary normally
// around the effect with standard deviation sd. It returns +Inf if there is no such effect:
// there are too few units for alpha, or numbers are invalid.
func Detectable(sd float64, units int, alpha, power float64) float64 {
	k := rank(alpha, flipOrders(units))
	if units < 1 || k == 0 || !(power > 0 && power < 1) || !(sd >= 0) {
		return math.Inf(1)
	}
	if sd == 0 {
		return 0
	}
	return sd * shift(edgesOf(units, k), units, power)
}

// Needed returns the smallest number of units at which an effect of this size is Detectable;
// ok is false if that is more than atMost.
func Needed(sd, effect, alpha, power float64, atMost int) (units int, ok bool) {
	normal := distuv.UnitNormal
	if !(effect > 0 && sd >= 0 && alpha > 0 && alpha < 1 && power > 0 && power < 1) {
		return 0, false
	}
	// A test that knew sd would need this many, so fewer never suffice.
	z := max(0, normal.Quantile(1-alpha/2)+normal.Quantile(power)) * sd / effect
	if z*z > float64(atMost) {
		return 0, false
	}
	for units = max(Fewest(alpha, 1), int(z*z)); units <= atMost; units++ {
		if Detectable(sd, units, alpha, power) <= effect {
			return units, true
		}
	}
	return 0, false
}

// shift returns the true effect, in standard deviations, found with this power. The measured
// effect is the true one plus the mean of the noise, which is normal; it is found if it exceeds
// its edge. All edges are equally likely.
func shift(edges []float64, units int, power float64) float64 {
	wobble := 1 / math.Sqrt(float64(units)) // of the mean of the noise
	seen := func(effect float64) float64 {
		share := 0.0
		for _, edge := range edges {
			share += distuv.UnitNormal.CDF((effect - edge) / wobble)
		}
		return share / float64(len(edges))
	}
	reach := distuv.UnitNormal.Quantile(power) * wobble
	low, high := slices.Min(edges)+reach, slices.Max(edges)+reach
	for range 40 {
		if middle := (low + high) / 2; seen(middle) < power {
			low = middle
		} else {
			high = middle
		}
	}
	return max(0, high)
}
