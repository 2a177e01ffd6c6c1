package figure_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plinth/internal/figure"
	"plinth/internal/metric"
)

// ofTPS is of for property tests: the figures of seconds of TPS.
func ofTPS(tps []float64) (map[string]float64, map[string]string) {
	figures, gaps, _ := figure.Of(input(table{"tps": tps}))
	why := map[string]string{}
	for _, g := range gaps {
		why[g.What] = g.Why
	}
	return figures, why
}

func someTPS(t *rapid.T) []float64 {
	return rapid.SliceOfN(rapid.Float64Range(1, 1e6), 8, 60).Draw(t, "tps")
}

// TestOrderOfSeconds does not matter to the peak, the lowest and the variation.
func TestOrderOfSeconds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tps := someTPS(t)
		a, _ := ofTPS(tps)
		b, _ := ofTPS(rapid.Permutation(tps).Draw(t, "permuted"))
		for _, name := range []string{"tps-peak", "tps-lowest"} {
			if a[name] != b[name] {
				t.Errorf("%s was %g, and is %g", name, a[name], b[name])
			}
		}
		if math.Abs(a["tps-variation"]-b["tps-variation"]) > 1e-9 {
			t.Errorf("variation was %g, and is %g", a["tps-variation"], b["tps-variation"])
		}
	})
}

// TestScale: a load of twice the TPS has twice the peak, and the same variation and
// drop, at the same seconds.
func TestScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tps := someTPS(t)
		factor := rapid.SampledFrom([]float64{0.25, 2, 1024}).Draw(t, "factor") // exact in floating point
		var scaled []float64
		for _, v := range tps {
			scaled = append(scaled, v*factor)
		}
		a, _ := ofTPS(tps)
		b, _ := ofTPS(scaled)
		for name, want := range map[string]float64{
			"tps-peak": a["tps-peak"] * factor, "tps-lowest": a["tps-lowest"] * factor, "tps-peak-second": a["tps-peak-second"],
			"tps-variation": a["tps-variation"], "tps-drop": a["tps-drop"], "tps-drop-second": a["tps-drop-second"],
		} {
			if math.Abs(b[name]-want) > 1e-9*max(1, want) {
				t.Errorf("%s is %g, want %g", name, b[name], want)
			}
		}
		if a["tps-drop"] < 0 || a["tps-drop"] > 1 {
			t.Errorf("drop is %g", a["tps-drop"])
		}
	})
}

// TestHostilePoints: whatever the columns hold, each figure of the catalog is a finite
// number or a gap with a reason, never both, and JSON takes all of it. Gaps alone make
// no number.
func TestHostilePoints(t *testing.T) {
	columns := slices.Sorted(func(yield func(string) bool) {
		for name := range eight().with(ofRedis()) {
			if !yield(name) {
				return
			}
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		odd := rapid.SampledFrom([]float64{gap, 0, 1, -1, math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64, 5, 0.5})
		only := rapid.Bool().Draw(t, "gaps only")
		made := table{}
		for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom(columns), rapid.ID).Draw(t, "columns") {
			values := rapid.SliceOfN(odd, 0, 12).Draw(t, name)
			if only {
				values = each(len(values), gap)
			}
			made[name] = values
		}
		in := input(made)
		in.Environment.Server = rapid.SampledFrom([]string{"PostgreSQL", "Redis", "Valkey", ""}).Draw(t, "server")
		figures, gaps, resources := figure.Of(in)
		if _, err := json.Marshal([]any{figures, gaps, resources}); err != nil {
			t.Errorf("%v", err)
		}
		reasons := map[string]string{}
		for _, g := range gaps {
			if reasons[g.What] != "" || g.Why == "" {
				t.Errorf("%s is a gap twice, or has no reason", g.What)
			}
			reasons[g.What] = g.Why
		}
		for _, f := range metric.Figures() {
			optional := f.Name == metric.Wait || strings.HasPrefix(f.Name, "replication-")
			_, known := figures[f.Name]
			if !f.Of(in.Environment.Server) {
				known, optional = !known, false // it is neither
			}
			if !optional && known == (reasons[f.Name] != "") {
				t.Errorf("%s: known %v, gap %q", f.Name, known, reasons[f.Name])
			}
		}
		delete(figures, "dataset-over-shared-buffers") // they are not made of points
		delete(figures, "dataset-over-memory")
		if only && len(figures)+len(resources) > 0 {
			t.Errorf("made of gaps: %v %v", figures, resources)
		}
	})
}
