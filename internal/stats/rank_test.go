package stats

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestSmallest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1, 1), 1, 50).Draw(t, "values")
		k := rapid.IntRange(1, len(values)).Draw(t, "k")
		isSmallest(t, values, k)
	})
}

// TestSmallestOfMany reaches the sampling, which short lists skip.
func TestSmallestOfMany(t *testing.T) {
	lists := map[string][]float64{"noise": noise(1, 5000), "equal": make([]float64, 5000), "sorted": slices.Sorted(slices.Values(noise(2, 5000)))}
	lists["two values"] = make([]float64, 5000)
	for i := range lists["two values"] {
		lists["two values"][i] = float64(i % 2)
	}
	for name, values := range lists {
		for _, k := range []int{1, 2, 125, 2500, 4999, 5000} {
			t.Run(name, func(t *testing.T) { isSmallest(t, slices.Clone(values), k) })
		}
	}
}

type fatal interface {
	Fatalf(format string, args ...any)
}

func isSmallest(t fatal, values []float64, k int) {
	sorted := slices.Sorted(slices.Values(values))
	if got := smallest(values, k); got != sorted[k-1] {
		t.Fatalf("the %d-th smallest of %d is %v, not %v", k, len(values), got, sorted[k-1])
	}
	if !slices.Equal(sorted, slices.Sorted(slices.Values(values))) {
		t.Fatalf("selecting lost a value")
	}
}
