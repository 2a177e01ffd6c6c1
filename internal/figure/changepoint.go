package figure

import (
	"math"
	"slices"
)

const (
	// fewestForDrop is the fewest seconds in which a drop is looked for, and aside
	// the fewest on either side of it: a stall of two seconds is no cliff.
	fewestForDrop = 8
	aside         = 3

	// byChance is the likelihood ratio, as n ln(of one mean / of two means), above
	// which two means are more than chance. The best of many splits always fits
	// better than none: of 4,000 windows of 8 to 600 seconds whose seconds had one
	// mean, normal or with heavy tails (Laplace), 1 in 100 came to 10 to 13.
	byChance = 12

	// rounding is the squares, as a share of those of the values themselves, that
	// adding them up leaves of values that are all the same.
	rounding = 1e-20
)

// changePoint is the number of values before the change: where values fall, from
// one mean to another, that together leave the least squares. It is 0 where two
// means do not fit better than one by more than chance.
//
// Least squares need one pass; least absolute deviations, which found the same
// points on the published timelines, would need an ordered structure. Splits after
// which values are higher do not count, lest a slow start hide a cliff.
func changePoint(values []float64) int {
	n, middle := len(values), total(values)/float64(len(values))
	all, size := 0.0, 0.0
	for _, v := range values {
		all += (v - middle) * (v - middle)
		size += v * v
	}
	if all <= rounding*size {
		return 0
	}
	best, gained, sum := 0, 0.0, 0.0
	for k := 1; k <= n-aside; k++ {
		sum += values[k-1] - middle // of those after it: as much with the other sign
		// What two means take off the squares around one.
		if gain := sum * sum * (1/float64(k) + 1/float64(n-k)); k >= aside && sum > 0 && gain > gained {
			best, gained = k, gain
		}
	}
	if left := all - gained; left > 0 && float64(n)*math.Log(all/left) <= byChance {
		return 0
	}
	return best
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return sorted[(n-1)/2]/2 + sorted[n/2]/2
}
