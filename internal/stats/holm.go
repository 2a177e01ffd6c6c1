package stats

import (
	"math"
	"slices"
)

// Step is the alpha that Holm's procedure grants one of several comparisons.
type Step struct {
	Alpha    float64 // at which it was tested
	Rejected bool
}

// Holm divides alpha among comparisons such that the probability of any false rejection is at
// most alpha, however they depend on each other (S. Holm, "A simple sequentially rejective
// multiple test procedure", Scand. J. Statist. 6, 1979). The smallest p is compared with
// alpha/m, the next with alpha/(m-1), up to the first that is not rejected; that one and all
// after it get the same alpha. Steps are in the order of p. A p that is NaN is never rejected.
func Holm(p []float64, alpha float64) []Step {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return compareNaNLast(p[i], p[j]) })
	steps := make([]Step, len(p))
	rejected := 0
	for _, i := range order {
		share := alpha / float64(len(p)-rejected)
		steps[i] = Step{Alpha: share, Rejected: p[i] <= share}
		if steps[i].Rejected {
			rejected++
			continue
		}
		for _, other := range order[rejected:] {
			steps[other].Alpha = share
		}
		break
	}
	return steps
}

func compareNaNLast(a, b float64) int {
	switch {
	case a < b || !math.IsNaN(a) && math.IsNaN(b):
		return -1
	case a > b || math.IsNaN(a) && !math.IsNaN(b):
		return 1
	}
	return 0
}
