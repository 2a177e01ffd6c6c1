package stats

import (
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// mostExchanges is the number of permutations up to which all are listed.
const mostExchanges = 1 << mostExact

// Independent tests two samples whose units are not paired, such as runs of two records. If
// they differ only by theta, any value might as well have been in the other sample, once theta
// is subtracted from b's.
//
// Exchanging some values of a for as many of b keeps mean(b) - mean(a) - theta at least as
// large if and only if the mean of those of b is at most theta above the mean of those of a;
// over all exchanges, these are the typical values. Up to about a million permutations all are
// listed; above that 100,000 are drawn from seed.
func Independent(a, b []float64, seed uint64) (*Test, error) {
	if err := check(a, b); err != nil {
		return nil, err
	}
	meanA, ofA := centre(a)
	meanB, ofB := centre(b)
	t := &Test{
		samples: [][]float64{ofA, ofB}, mean: meanB - meanA, sd: deviation(len(a)+len(b)-2, ofA, ofB),
		low: floats.Min(b) - floats.Max(a), high: floats.Max(b) - floats.Min(a), slack: slackOf(a, b), seed: seed,
	}
	few, many := ofA, ofB
	if len(b) < len(a) {
		few, many = ofB, ofA
	}
	e := exchange{pool: slices.Concat(few, many), few: len(few)}
	count := permutations(len(e.pool), e.few)
	if t.exact = count <= mostExchanges; t.exact {
		e.list(0, e.few, 0, 0)
		t.orders = float64(count) / 2
	} else {
		e.draw(seed)
		t.orders = float64(draws+1) / 2
	}
	if len(b) < len(a) {
		floats.Scale(-1, e.typical)
	}
	floats.AddConst(t.mean, e.typical)
	t.typical = e.typical
	return t, nil
}

// exchange collects the typical values: the mean of the units that leave the larger sample
// minus the mean of those that leave the smaller one. Both samples are deviations from their
// own mean, so the sum that leaves the smaller sample is minus the sum that stays.
type exchange struct {
	pool    []float64 // the smaller sample first
	few     int       // its size
	typical []float64
}

// list adds all ways to take that many more from pool[from:]. The units taken so far have this
// sum, and exchanged come from the larger sample.
func (e *exchange) list(from, more int, sum float64, exchanged int) {
	if more == 0 {
		e.add(sum, exchanged)
		return
	}
	for i := from; i <= len(e.pool)-more; i++ {
		if i < e.few {
			e.list(i+1, more-1, sum+e.pool[i], exchanged)
		} else {
			e.list(i+1, more-1, sum+e.pool[i], exchanged+1)
		}
	}
}

// add adds one permutation, except the measured one, which exchanges nothing.
func (e *exchange) add(sum float64, exchanged int) {
	if exchanged > 0 {
		e.typical = append(e.typical, sum/float64(exchanged))
	}
}

// draw adds random permutations: the first of a shuffled pool are the new smaller
// sample.
func (e *exchange) draw(seed uint64) {
	random := rand.New(generator(seed))
	at := make([]int, len(e.pool))
	for i := range at {
		at[i] = i
	}
	for len(e.typical) < draws {
		sum, exchanged := 0.0, 0
		for i := range e.few {
			j := i + random.IntN(len(at)-i)
			at[i], at[j] = at[j], at[i]
			sum += e.pool[at[i]]
			if at[i] >= e.few {
				exchanged++
			}
		}
		e.add(sum, exchanged)
	}
}

// permutations returns the number of ways to take k of n, or any number above mostExchanges if
// there are more.
func permutations(n, k int) int {
	count := 1
	for i := range k {
		if count = count * (n - i) / (i + 1); count > mostExchanges {
			break
		}
	}
	return count
}
