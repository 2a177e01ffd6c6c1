package stats

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// LoadSpread separates the variation between repeats, whose units share one load of the
// dataset, from the variation within a repeat: variances, on the scale of the units squared, by
// the method of moments for groups of unequal size (Searle, Casella and McCulloch, Variance
// Components, 1992, section 3.6). Between is never negative. If it cannot be separated, with
// only one group or with no group of two, it is 0 and within is the whole variation. Empty
// groups do not count.
func LoadSpread(groups [][]float64) (between, within float64) {
	var all []float64
	var inside, across, squares, used float64
	for _, group := range groups {
		if len(group) == 0 {
			continue
		}
		_, deviations := centre(group)
		inside += floats.Dot(deviations, deviations)
		all = append(all, group...)
		squares += float64(len(group) * len(group))
		used++
	}
	n := float64(len(all))
	if n < 2 {
		return 0, 0
	}
	if used < 2 || used == n {
		return 0, stat.Variance(all, nil)
	}
	_, deviations := centre(all)
	across = floats.Dot(deviations, deviations) - inside
	within = inside / (n - used)
	size := (n - squares/n) / (used - 1) // the effective size of unequal groups
	return max(0, (across/(used-1)-within)/size), within
}

// deviation returns the standard deviation of deviations with that many degrees of freedom in
// total; 0 with none.
func deviation(freedom int, samples ...[]float64) float64 {
	sum := 0.0
	for _, sample := range samples {
		sum += floats.Dot(sample, sample)
	}
	if freedom < 1 {
		return 0
	}
	return math.Sqrt(sum / float64(freedom))
}
