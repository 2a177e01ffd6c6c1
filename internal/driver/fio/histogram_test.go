package fio

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestHistogram(t *testing.T) {
	h := Histogram{10: 98, 20: 1, 1000: 1}
	for p, want := range map[float64]time.Duration{0: 10, 0.5: 10, 0.98: 10, 0.99: 20, 0.999: 1000, 1: 1000} {
		if got := h.Quantile(p); got != want {
			t.Errorf("p%g: got %d, want %d", 100*p, got, want)
		}
	}
	if got := h.Mean(); got != 20 {
		t.Errorf("mean %d", got)
	}
	if none := (Histogram{}); none.Quantile(0.5) != 0 || none.Mean() != 0 || none.Count() != 0 {
		t.Error("an empty histogram has figures")
	}
}

// TestAdd checks that a sum of histograms equals a single histogram of all values.
func TestAdd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.IntRange(1, 50), 1, 100).Draw(t, "values")
		at := rapid.IntRange(0, len(values)).Draw(t, "at")
		all, first, second := Histogram{}, Histogram{}, Histogram{}
		for i, v := range values {
			all[time.Duration(v)]++
			if i < at {
				first[time.Duration(v)]++
			} else {
				second[time.Duration(v)]++
			}
		}
		first.Add(second)
		for _, p := range []float64{0, 0.5, 0.9, 0.99, 1} {
			if first.Quantile(p) != all.Quantile(p) {
				t.Fatalf("p%g: %d, want %d", 100*p, first.Quantile(p), all.Quantile(p))
			}
		}
	})
}
