package truth

import (
	"math"
	"math/rand/v2"
)

func randomOf(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// shape returns the standard deviation of values and the correlation of adjacent ones.
func shape(values []float64) (spread, neighbours float64) {
	middle, all, near := mean(values), 0.0, 0.0
	for i, v := range values {
		all += (v - middle) * (v - middle)
		if i > 0 {
			near += (v - middle) * (values[i-1] - middle)
		}
	}
	return math.Sqrt(all / float64(len(values)-1)), near / all
}
