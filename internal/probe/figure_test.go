package probe

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestFigure(t *testing.T) {
	for name, try := range map[string]struct {
		values []float64
		want   Figure
	}{
		"none":      {nil, Figure{}},
		"one":       {[]float64{8}, Figure{Value: 8, Low: 8, High: 8}},
		"two":       {[]float64{4, 9}, Figure{Value: 6, Low: 4, High: 9}},
		"with none": {[]float64{0, 9}, Figure{Value: 4.5, Low: 0, High: 9}},
		"six":       {[]float64{10, 10, 10, 10, 10, 10}, Figure{Value: 10, Low: 10, High: 10, Level: 0.95}},
	} {
		got := newFigure(try.values, 1)
		for _, pair := range [][2]float64{{got.Value, try.want.Value}, {got.Low, try.want.Low}, {got.High, try.want.High}, {got.Level, try.want.Level}} {
			if math.Abs(pair[0]-pair[1]) > 1e-9 {
				t.Errorf("%s: got %+v, want %+v", name, got, try.want)
			}
		}
	}
}

// TestFigureIsInItsInterval, and the interval between the slices.
func TestFigureIsInItsInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0.1, 1e7), 1, 8).Draw(t, "values")
		f := newFigure(values, 1)
		r := ranged(values)
		const rounding = 1e-9
		if f.Low > f.Value*(1+rounding) || f.High < f.Value*(1-rounding) || f.Low < r.Low*(1-rounding) || f.High > r.High*(1+rounding) {
			t.Fatalf("%v: %+v", values, f)
		}
		if (f.Level == 0.95) != (len(values) >= mostSlices) {
			t.Fatalf("%d values: level %g", len(values), f.Level)
		}
	})
}
