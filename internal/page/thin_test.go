package page

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

var nan = math.NaN()

func TestThin(t *testing.T) {
	for _, c := range []struct {
		name                 string
		seconds, values      []float64
		most                 int
		start, step          float64
		mean, least, highest []float64
	}{
		{"as it is", []float64{-1, 0, 1}, []float64{5, nan, 7}, 10, -1, 1, []float64{5, nan, 7}, []float64{5, nan, 7}, []float64{5, nan, 7}},
		{"in halves", []float64{0, 1, 2, 3}, []float64{1, 3, 10, 0}, 2, 0, 2, []float64{2, 5}, []float64{1, 0}, []float64{3, 10}},
		{"the last step is short", []float64{0, 1, 2}, []float64{1, 2, 9}, 2, 0, 2, []float64{1.5, 9}, []float64{1, 9}, []float64{2, 9}},
		{"a gap in a step", []float64{0, 1, 2, 3}, []float64{nan, 3, nan, nan}, 2, 0, 2, []float64{3, nan}, []float64{3, nan}, []float64{3, nan}},
		{"a second that has no row", []float64{0, 2}, []float64{1, 2}, 0, 0, 1, []float64{1, nan, 2}, []float64{1, nan, 2}, []float64{1, nan, 2}},
		{"infinite is not known", []float64{0, 1}, []float64{math.Inf(1), 2}, 0, 0, 1, []float64{nan, 2}, []float64{nan, 2}, []float64{nan, 2}},
		{"a column that ends early", []float64{0, 1}, []float64{4}, 0, 0, 1, []float64{4, nan}, []float64{4, nan}, []float64{4, nan}},
		{"rows without a second", []float64{nan, 0, 1e300}, []float64{1, 2, 3}, 0, 0, 1, []float64{2}, []float64{2}, []float64{2}},
		{"no sum is that large", []float64{0, 1}, []float64{1e308, 1.5e308}, 1, 0, 2, []float64{1.25e308}, []float64{1e308}, []float64{1.5e308}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := newTimeGrid(c.seconds, c.most)
			if err != nil {
				t.Fatal(err)
			}
			got := g.thin(c.values)
			if g.start != c.start || g.step != c.step || !equal(got.mean, c.mean) || !equal(got.low, c.least) || !equal(got.high, c.highest) {
				t.Errorf("from %g by %g: %v", g.start, g.step, got)
			}
		})
	}
}

func equal(got []Number, want []float64) bool {
	return slices.EqualFunc(got, want, func(n Number, w float64) bool {
		return float64(n) == w || math.IsNaN(float64(n)) && math.IsNaN(w)
	})
}

func TestTimeGridRefuses(t *testing.T) {
	for name, seconds := range map[string][]float64{
		"none":      nil,
		"nonsense":  {nan, math.Inf(1), 1e9},
		"far apart": {0, 999_999},
	} {
		if _, err := newTimeGrid(seconds, 0); err == nil {
			t.Errorf("%s: a grid", name)
		}
	}
}

// TestThinKeepsExtremes: whatever the seconds are, none of them is lost among others,
// and a step of which nothing is known is a gap.
func TestThinKeepsExtremes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.IntRange(-100, 100).Draw(t, "first")
		values := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(-1e6, 1e6), rapid.Just(nan)), 1, 400).Draw(t, "values")
		most := rapid.IntRange(1, 100).Draw(t, "most")
		var seconds []float64
		for i := range values {
			seconds = append(seconds, float64(first+i))
		}
		g, err := newTimeGrid(seconds, most)
		if err != nil {
			t.Fatal(err)
		}
		got := g.thin(values)
		if len(got.mean) != g.steps || g.steps > most || float64(g.steps)*g.step < float64(len(values)) {
			t.Fatalf("%d steps of %g for %d seconds, at most %d", g.steps, g.step, len(values), most)
		}
		for i := range got.mean {
			from := i * int(g.step)
			within(t, values[from:min(from+int(g.step), len(values))], got, i)
		}
	})
}

// within holds step i against the seconds that are in it.
func within(t *rapid.T, seconds []float64, got thinned, i int) {
	known := slices.DeleteFunc(slices.Clone(seconds), math.IsNaN)
	if len(known) == 0 {
		if !math.IsNaN(float64(got.mean[i])) || !math.IsNaN(float64(got.low[i])) || !math.IsNaN(float64(got.high[i])) {
			t.Fatalf("step %d is %v to %v; nothing is known of it", i, got.low[i], got.high[i])
		}
		return
	}
	if float64(got.low[i]) != slices.Min(known) || float64(got.high[i]) != slices.Max(known) {
		t.Fatalf("step %d is %v to %v; want %v", i, got.low[i], got.high[i], known)
	}
	const rounding = 1e-6
	if got.mean[i] < got.low[i]-rounding || got.mean[i] > got.high[i]+rounding {
		t.Fatalf("the mean of step %d is %v, outside of %v", i, got.mean[i], known)
	}
}
