package steps_test

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/report/reporttest"
	"plinth/internal/report/steps"
	"plinth/internal/report/summary"
)

// TestScreen checks the effect of each group of a screening design against known true values: half of what two groups
// do only together belongs to each of them.
func TestScreen(t *testing.T) {
	rec := reporttest.Screened(t, 12)
	a := ablationOf(t, rec)
	want := map[string]struct {
		factor  float64
		outcome record.Outcome
	}{
		"flushing": {1 / (1.2 * math.Sqrt(1.1)), record.Worse}, "bgwriter": {1 / 0.95, record.Better},
		"group commit": {1 / math.Sqrt(1.1), record.Worse}, "memory": {1, record.Equivalent},
	}
	if len(a.Parts) != len(want) || a.Declared != 1 || a.Means != 4 || a.FewestMeans != 8 || len(a.Sums) != 0 {
		t.Fatalf("%+v", a)
	}
	for _, p := range a.Parts {
		if len(p.Removed) != 1 {
			t.Fatalf("%+v", p)
		}
		e, w := p.Removed[0], want[p.Name]
		if e.A < 500 || math.Abs(e.B/e.A-1-e.Effect) > 1e-9 {
			t.Errorf("%s: %v against %v", p.Name, e.B, e.A)
		}
		if math.Abs(e.Effect-(w.factor-1)) > 0.01 || e.Outcome != w.outcome || e.N != 12 || e.Low > w.factor-1 || e.High < w.factor-1 {
			t.Errorf("%s: %+v, want %+v", p.Name, e, w)
		}
	}
	if v := a.Whole[0]; v.Outcome != record.Better || math.Abs(v.Effect-(1.2*1.1*0.95-1)) > 0.03 {
		t.Errorf("all against none: %+v", v)
	}
	numbers, c := numbersOf(t, rec)
	reporttest.Golden(t, filepath.Join("testdata", "screen.txt"), steps.AblationOf(numbers, rec, c).Document(numbers).Text(80))
}

// TestScreenOfWhatIsThere checks a group that is not applicable, too few blocks, and a design of which an environment was
// not measured: its effects would depend on each other, so there are none.
func TestScreenOfWhatIsThere(t *testing.T) {
	rec := reporttest.Screened(t, 12)
	all := rec.Environments["all"]
	all.Tuning.Knobs[3].NotApplicable = "it is not there"
	a := ablationOf(t, rec)
	if p := a.Parts[3]; p.Name != "memory" || p.NotApplicable != "it is not there" || len(p.Removed) > 0 || a.Means != 3 {
		t.Errorf("%+v", a.Parts)
	}
	if text := reporttest.Written(t, rec, "markdown", summary.Options{}); !strings.Contains(text, "it is not there") {
		t.Error("the reason is missing")
	}
	for _, p := range ablationOf(t, reporttest.Screened(t, 6)).Parts {
		if e := p.Removed[0]; e.Outcome != "" {
			t.Errorf("%s of six blocks: %+v", p.Name, e)
		}
	}
	rec = reporttest.Screened(t, 12)
	delete(rec.Environments, "mix-3")
	rec.Runs = slices.DeleteFunc(rec.Runs, func(r record.Run) bool { return r.Environment == "mix-3" })
	for _, p := range ablationOf(t, rec).Parts {
		if len(p.Removed) != 1 || p.Removed[0].N != 0 || p.Removed[0].Impact != "not known" || p.NotApplicable != "" {
			t.Errorf("%+v", p)
		}
	}
}
