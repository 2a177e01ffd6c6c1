package verdict_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plinth/internal/record"
	"plinth/internal/verdict"
)

// drawn returns a record with arbitrary plausible numbers: two cells, three to seven
// repeats, an effect and noise.
func drawn(t *rapid.T, environments string) *record.Record {
	effect := rapid.Float64Range(-0.5, 0.5).Draw(t, "effect")
	sd := rapid.Float64Range(0, 0.3).Draw(t, "noise")
	base := rapid.Float64Range(1e-3, 1e7).Draw(t, "tps")
	unit := rapid.SampledFrom([]string{"block", "repeat"}).Draw(t, "unit")
	text := file("environments: "+environments, "clients: [1, 2]", "interleave: "+unit,
		fmt.Sprintf("repeats: %d", rapid.IntRange(3, 7).Draw(t, "repeats")), "baseline: one")
	return made(t, text, func(run *record.Run) {
		run.Result.TPS = base * math.Exp(sd*(noise(run, 1)-1))
		if run.Environment == "two" {
			run.Result.TPS *= math.Exp(effect)
		}
	})
}

// threeDrawn returns three environments, of which either every pair is compared or only those with the
// baseline.
func threeDrawn(t *rapid.T) string {
	return "{one: {}, two: {}, three: {}}" + rapid.SampledFrom([]string{"", "\ncompare: all"}).Draw(t, "compare")
}

func alike(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(a)) }

func tpsOf(t *rapid.T, rec *record.Record, environments ...string) []record.Verdict {
	c := of(t, rec, verdict.Options{Environments: environments})
	var all []record.Verdict
	for _, v := range append(c.Verdicts, c.Cells...) {
		if v.Metric == "tps" {
			all = append(all, v)
		}
	}
	return all
}

// TestSwappingMirrors checks that better becomes worse, and that the interval becomes
// that of the inverse ratio.
func TestSwappingMirrors(t *testing.T) {
	mirrored := map[record.Outcome]record.Outcome{
		record.Better: record.Worse, record.Worse: record.Better,
		record.Equivalent: record.Equivalent, record.Inconclusive: record.Inconclusive, "": "",
	}
	rapid.Check(t, func(t *rapid.T) {
		rec := drawn(t, "{one: {}, two: {}}")
		there, back := tpsOf(t, rec, "one", "two"), tpsOf(t, rec, "two", "one")
		for i, v := range there {
			w := back[i]
			if w.Outcome != mirrored[v.Outcome] || w.Level != v.Level || w.P != v.P || w.N != v.N {
				t.Fatalf("%+v\nmirrored %+v", v, w)
			}
			for _, pair := range [][2]float64{{v.Effect, w.Effect}, {v.Low, w.High}, {v.High, w.Low}, {v.B/v.A - 1, w.B/w.A - 1}} {
				if !alike(math.Log1p(pair[0]), -math.Log1p(pair[1])) {
					t.Fatalf("%+v\nmirrored %+v", v, w)
				}
			}
		}
	})
}

// TestScaleDoesNotMatter checks that scaling all TPS does not change the verdicts.
func TestScaleDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec := drawn(t, "{one: {}, two: {}}")
		before := tpsOf(t, rec)
		factor := rapid.Float64Range(1e-6, 1e6).Draw(t, "factor")
		for i := range rec.Runs {
			rec.Runs[i].Result.TPS *= factor
		}
		for i, v := range tpsOf(t, rec) {
			w := before[i]
			if v.Outcome != w.Outcome || !alike(v.Effect, w.Effect) || !alike(v.Low, w.Low) || !alike(v.High, w.High) || !alike(v.A, w.A*factor) {
				t.Fatalf("%+v\nx %g %+v", w, factor, v)
			}
		}
	})
}

// TestOrderOfTheFileDoesNotMatter checks that neither the order of environments nor that
// of runs matters.
func TestOrderOfTheFileDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec := drawn(t, "{one: {}, two: {}, three: {}}")
		entries := rapid.Permutation([]string{"one: {}", "two: {}", "three: {}"}).Draw(t, "environments")
		again := made(t, strings.Replace(string(rec.ExperimentYAML), rest(string(rec.ExperimentYAML), "environments:", "baseline:"),
			"\n  "+strings.Join(entries, "\n  ")+"\n", 1), nil)
		again.Runs = rapid.Permutation(rec.Runs).Draw(t, "runs")
		for i := range again.Runs {
			again.Runs[i].Declared = ""
		}
		for _, v := range tpsOf(t, rec) {
			found := false
			for _, w := range tpsOf(t, again) {
				found = found || w.Other == v.Other && reflect.DeepEqual(w.Cell, v.Cell) && w.Outcome == v.Outcome && w.Effect == v.Effect && w.N == v.N
			}
			if !found {
				t.Fatalf("%+v is not among\n%+v", v, tpsOf(t, again))
			}
		}
	})
}

// rest returns the text between two words.
func rest(text, from, to string) string {
	_, text, _ = strings.Cut(text, from)
	text, _, _ = strings.Cut(text, to)
	return text
}

// TestJSON checks that a Comparison survives a round trip through JSON.
func TestJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := of(t, drawn(t, threeDrawn(t)), verdict.Options{})
		data, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var read verdict.Comparison
		if err := json.Unmarshal(data, &read); err != nil || !reflect.DeepEqual(*c, read) {
			t.Fatalf("%v\n%+v\n%+v", err, *c, read)
		}
	})
}

// sane fails on verdicts that contradict their numbers, and on numbers that JSON cannot
// hold.
func sane(t fatal, c *verdict.Comparison) {
	t.Helper()
	if _, err := json.Marshal(c); err != nil {
		t.Fatal(err)
	}
	for _, v := range slices.Concat(c.Verdicts, c.Cells, c.OtherPairs, c.OtherCells) {
		outside := v.Low > 0 || v.High < 0
		known := v.Outcome == record.Better || v.Outcome == record.Worse
		if known && (!outside || v.Level < 0.95) || v.Outcome == record.Equivalent && v.Level < 0.95 || v.N < 6 && (known || v.Level != 0) {
			t.Fatal(fmt.Sprintf("%+v", v))
		}
		if v.Low > v.High || v.N > 0 && v.Outcome != record.Unfit && (v.P <= 0 || v.P > 1) {
			t.Fatal(fmt.Sprintf("%+v", v))
		}
		if v.Outcome == record.Inconclusive && v.N >= c.Fewest.Workload && v.Cell == nil && outside && v.Level != 0 {
			t.Fatal(fmt.Sprintf("inconclusive beside an interval that is not: %+v", v))
		}
	}
}

// TestWordAndIntervalAgree checks arbitrary records with sane.
func TestWordAndIntervalAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec := drawn(t, threeDrawn(t))
		sane(t, of(t, rec, verdict.Options{}))
		sane(t, of(t, rec, verdict.Options{Metrics: []string{"tps", "latency", "failures"}, ByClients: true}))
	})
}
