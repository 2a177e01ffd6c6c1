package stats

import (
	"math"
	"slices"
)

// Step is the alpha that Holm's procedure grants one of several comparisons.
type Step struct {
	Alpha    float64 // at which it was, or was not, rejected
	Rejected bool
}

// Holm shares alpha among comparisons such that the chance of one false rejection
// or more is at most alpha, however they depend on each other (S. Holm, "A simple
// sequentially rejective multiple test procedure", Scand. J. Statist. 6, 1979). The
// smallest p is held against alpha/m, the next against alpha/(m-1), up to the first
// that is not rejected; that one and all after it share the alpha that it had.
// Steps are in the order of p. A p that is NaN is never rejected.
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
