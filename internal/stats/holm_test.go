package stats

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestHolm(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		name     string
		p        []float64
		alphas   []float64
		rejected []bool
	}{
		{"one", []float64{0.05}, []float64{0.05}, []bool{yes}},
		{"one too many", []float64{0.0501}, []float64{0.05}, []bool{no}},
		{"all", []float64{0.05, 0.001, 0.02}, []float64{0.05, 0.05 / 3, 0.025}, []bool{yes, yes, yes}},
		{"none", []float64{0.05, 0.02, 0.03}, []float64{0.05 / 3, 0.05 / 3, 0.05 / 3}, []bool{no, no, no}},
		{"down to the first that is not", []float64{0.04, 0.001, 0.03}, []float64{0.025, 0.05 / 3, 0.025}, []bool{no, yes, no}},
		{"a small one after it does not count", []float64{0.03, 0.03, 0.001}, []float64{0.025, 0.025, 0.05 / 3}, []bool{no, no, yes}},
		{"without numbers", []float64{math.NaN(), 0.001}, []float64{0.05, 0.025}, []bool{no, yes}},
		{"nothing", nil, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i, step := range Holm(c.p, 0.05) {
				if !near(step.Alpha, c.alphas[i]) || step.Rejected != c.rejected[i] {
					t.Errorf("p %v: %+v, not %v %v", c.p[i], step, c.alphas[i], c.rejected[i])
				}
			}
		})
	}
}

// TestHolmByItsAdjustedValues computes the procedure the other way round: each p is
// multiplied, and made no smaller than the ones before it.
func TestHolmByItsAdjustedValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, 0.1), 1, 12).Draw(t, "p")
		order := slices.Sorted(slices.Values(p))
		adjusted := map[float64]float64{}
		most := 0.0
		for i, v := range order {
			most = max(most, v*float64(len(p)-i))
			adjusted[v] = max(most, adjusted[v])
		}
		for i, step := range Holm(p, 0.05) {
			if want := adjusted[p[i]]; math.Abs(want-0.05) > 1e-12 && step.Rejected != (want <= 0.05) {
				t.Fatalf("p %v is adjusted to %v, but %+v", p[i], want, step)
			}
			if step.Rejected != (p[i] <= step.Alpha) {
				t.Fatalf("p %v: %+v", p[i], step)
			}
		}
	})
}
