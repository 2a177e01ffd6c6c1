package stats

import "math/rand/v2"

// noise returns normal values with a standard deviation of 1.
func noise(seed uint64, n int) []float64 {
	random := rand.New(rand.NewPCG(seed, 2))
	values := make([]float64, n)
	for i := range values {
		values[i] = random.NormFloat64()
	}
	return values
}

// plus returns values with add added to each.
func plus(values []float64, add float64) []float64 {
	sums := make([]float64, len(values))
	for i, v := range values {
		sums[i] = v + add
	}
	return sums
}
