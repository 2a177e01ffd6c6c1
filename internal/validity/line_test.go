package validity

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestFit(t *testing.T) {
	l := fit([]float64{1, 3, 2, 5, 4})
	if l.mean != 3 || math.Abs(l.slope-0.8) > 1e-12 {
		t.Errorf("%+v, want a mean of 3 and a slope of 0.8", l)
	}
	// Residuals -0.4, 0.8, -1, 1.2, -0.6: their squares are 3.6, by 3 degrees of
	// freedom and 10 of spread. Neighbours are unlike, so nothing is added.
	if want := math.Sqrt(3.6 / 3 / 10); math.Abs(l.err-want) > 1e-12 {
		t.Errorf("standard error %v, want %v", l.err, want)
	}
}

// TestAlike: what a line takes out of an autocorrelation is put back.
func TestAlike(t *testing.T) {
	const trials = 4000
	for _, want := range []float64{0, 0.3, 0.6} {
		random := rand.New(rand.NewPCG(2, 3))
		found := 0.0
		for range trials {
			values := windowTPS(noisy(random, 60, want, 0))
			residuals, sum := fit(values).residuals(values)
			found += alike(residuals, sum) / trials
		}
		if math.Abs(found-want) > 0.02 {
			t.Errorf("autocorrelation %.3f, want %.1f", found, want)
		}
	}
}
