package steps_test

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/report/reporttest"
	"plinth/internal/report/steps"
	"plinth/internal/report/summary"
)

func ablationOf(t *testing.T, rec *record.Record) *steps.Ablation {
	t.Helper()
	var show summary.Summary
	if err := json.Unmarshal([]byte(reporttest.Written(t, rec, "json", summary.Options{})), &show); err != nil {
		t.Fatal(err)
	}
	if show.Ablation == nil {
		t.Fatal("there is no ablation")
	}
	return show.Ablation
}

// TestAblationTable compares the output with golden files.
func TestAblationTable(t *testing.T) {
	rec := reporttest.TakenApart(t, 12)
	text := reporttest.Written(t, rec, "text", summary.Options{})
	reporttest.Golden(t, filepath.Join("testdata", "ablation.txt"), text)
	for _, line := range strings.Split(text, "\n") {
		if len([]rune(line)) > 80 && !strings.Contains(line, "without-") {
			t.Errorf("%d columns: %s", len([]rune(line)), line)
		}
	}
	numbers, c := numbersOf(t, rec)
	reporttest.Golden(t, filepath.Join("testdata", "ablation.md"), steps.AblationOf(numbers, rec, c).Document(numbers).Markdown())
}

// TestWhichOfTheseDidIt checks effects, shares, interactions and impacts against known true
// values.
func TestWhichOfTheseDidIt(t *testing.T) {
	a := ablationOf(t, reporttest.TakenApart(t, 12))
	if v := a.Whole[0]; v.Baseline != "none" || v.Other != "all" || v.Outcome != record.Better || math.Abs(v.Effect-0.56) > 0.02 {
		t.Errorf("all against none: %+v", v)
	}
	var names []string
	for _, p := range a.Parts {
		names = append(names, p.Name)
	}
	if got := strings.Join(names, ", "); got != "flushing, bgwriter, group commit, governor" {
		t.Fatal(got)
	}
	for i, want := range []struct {
		effect, share    float64
		impact, priority string
		knobs            int
	}{
		{1090.0/1560 - 1, math.Log(1560.0/1090) / math.Log(1.56), "High", "must-have", 2},
		{1200.0/1560 - 1, math.Log(1560.0/1200) / math.Log(1.56), "High", "must-have", 1},
		{1480.0/1560 - 1, math.Log(1560.0/1480) / math.Log(1.56), "Medium", "recommended", 1},
	} {
		p := a.Parts[i]
		e := p.Removed[0]
		if math.Abs(e.Effect-want.effect) > 0.01 || e.Share == nil || math.Abs(*e.Share-want.share) > 0.03 || e.Impact != want.impact || e.Priority != want.priority || len(p.Knobs) != want.knobs {
			t.Errorf("%s: %+v, %d knobs", p.Name, e, len(p.Knobs))
		}
	}
	if len(a.Parts[0].Published) == 0 || len(a.Parts[3].Published) > 0 {
		t.Error("what is published stands beside what was measured")
	}
	if p := a.Parts[3]; p.NotApplicable == "" || len(p.Removed) > 0 || len(p.Knobs) != 1 {
		t.Errorf("%+v", p)
	}
	if s := a.Sums[0]; s.Direction != "up" || math.Abs(math.Log1p(s.Effect)-(2*math.Log(1560)+math.Log(1000)-math.Log(1090)-math.Log(1200)-math.Log(1480))) > 0.02 {
		t.Errorf("the sum: %+v", s)
	}
	if p := a.Pairs[0]; strings.Join(p.Parts, " ") != "flushing bgwriter" || p.Direction != "up" {
		t.Errorf("the pair: %+v", p)
	}
}

// TestImpactWords checks impact and priority for each verdict.
func TestImpactWords(t *testing.T) {
	for _, c := range []struct {
		without float64
		want    string
	}{
		{1560, "none, not needed here"}, {1750, "High, for the worse, leave it out"}, {1535, "not known"}, {1400, "High, must-have"},
	} {
		rec := reporttest.TakenApart(t, 12)
		for i := range rec.Runs {
			if rec.Runs[i].Environment == "without-group-commit" {
				rec.Runs[i].Result.TPS *= c.without / 1480
			}
		}
		e := ablationOf(t, rec).Parts[2].Removed[0]
		if got := e.Impact + ", " + e.Priority; !strings.HasPrefix(got, c.want) && c.want != "not known" {
			t.Errorf("without it %v: %s, want %s", c.without, got, c.want)
		}
	}
	if e := ablationOf(t, reporttest.TakenApart(t, 3)).Parts[0].Removed[0]; e.Impact != "not known" {
		t.Errorf("of three blocks nothing is known: %+v", e)
	}
}

// TestPublishedBesideMeasured checks that published impacts are shown beside the measured ones.
func TestPublishedBesideMeasured(t *testing.T) {
	a := ablationOf(t, reporttest.TakenApart(t, 12))
	if p := a.Parts[0].Published; len(p) != 2 || p[0].Impact != "High" || p[0].Priority != "Must-have" || !strings.Contains(p[0].Source, "6.1") {
		t.Errorf("%+v", p)
	}
	text := reporttest.Written(t, reporttest.TakenApart(t, 12), "markdown", summary.Options{})
	for _, want := range []string{"bgwriter\\_delay=10ms: Critical, Must-have", "commit\\_delay=50: High, Recommended", "PostgreSQL OLTP Benchmark - Case Study, 6.2"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
}
