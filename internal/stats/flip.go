package stats

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

const (
	// mostExact is the number of units up to which all sign flips are listed.
	mostExact = 20
	// draws is how many orders are drawn if there are too many to list.
	draws = 100_000
)

// Paired tests differences d, ln(B/A) or B - A, one per unit, in the order in which they were
// measured. The order inside each unit was random, so each d might as well have had the other
// sign.
//
// Flipping the units of a set keeps the sum of d - theta at least as large if and only if their
// mean is at most theta, so the means of all nonempty sets are the typical values. Up to 20
// units all are listed; above that 100,000 sets are drawn from seed, each with its complement,
// whose flips are the same with all signs reversed, so both tails come from the same draws. The
// whole set is not drawn: its complement is the measured order, which always counts.
func Paired(d []float64, seed uint64) (*Test, error) {
	if err := check(d); err != nil {
		return nil, err
	}
	mean, deviations := centre(d)
	t := &Test{
		samples: [][]float64{deviations}, mean: mean, sd: deviation(len(d)-1, deviations),
		low: floats.Min(d), high: floats.Max(d), slack: slackOf(d),
		exact: len(d) <= mostExact, seed: seed,
	}
	if t.exact {
		t.typical = subsetMeans(deviations)
	} else {
		t.typical = drawSubsetMeans(deviations, seed)
	}
	t.orders = flipOrders(len(d))
	floats.AddConst(mean, t.typical)
	return t, nil
}

// flipOrders returns half the number of orders of that many units: 2^n listed, or those drawn
// and the measured one, each with its opposite.
func flipOrders(units int) float64 {
	if units <= mostExact {
		return math.Ldexp(1, units-1)
	}
	return draws + 1
}

// centre subtracts the mean, so that sums stay small relative to their terms.
func centre(values []float64) (mean float64, deviations []float64) {
	mean = stat.Mean(values, nil)
	deviations = make([]float64, len(values))
	for i, v := range values {
		deviations[i] = v - mean
	}
	return mean, deviations
}

// generator returns the source of all random draws.
func generator(seed uint64) *rand.PCG { return rand.NewPCG(seed, 0x706c696e7468) }
