package verdict_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plinth/internal/record"
	"plinth/internal/verdict"
)

// pairs formats verdicts by TPS as one line.
func pairs(verdicts []record.Verdict) string {
	var words []string
	for _, v := range verdicts {
		if v.Metric == "tps" {
			words = append(words, fmt.Sprintf("%s %s:%s %.4f %s", v.Workload, v.Baseline, v.Other, v.Level, v.Outcome))
		}
	}
	return strings.Join(words, ", ")
}

// TestEveryPairIsDecided checks that all pairs share the error by Holm, that the baseline of a pair of two
// others is the first one in the file, and that the verdicts against the baseline are separate.
func TestEveryPairIsDecided(t *testing.T) {
	for _, c := range []struct{ baseline, against, pairs string }{
		{"disk",
			"tpcb-like disk:memory 0.9917 better, tpcb-like disk:nfs 0.9917 equivalent, select-only disk:memory 0.9875 better, select-only disk:nfs 0.9917 equivalent",
			"tpcb-like memory:nfs 0.9900 worse, select-only memory:nfs 0.9833 worse"},
		{"nfs",
			"tpcb-like nfs:disk 0.9917 equivalent, tpcb-like nfs:memory 0.9917 better, select-only nfs:disk 0.9917 equivalent, select-only nfs:memory 0.9875 better",
			"tpcb-like disk:memory 0.9900 better, select-only disk:memory 0.9833 better"},
	} {
		got := of(t, made(t, file("repeats: 12", twoByTwo, three, "compare: all", "baseline: "+c.baseline), someFaster), verdict.Options{})
		if text := pairs(got.Verdicts); text != c.against {
			t.Errorf("%s:\n got %s\nwant %s", c.baseline, text, c.against)
		}
		if text := pairs(got.OtherPairs); text != c.pairs {
			t.Errorf("%s:\n got %s\nwant %s", c.baseline, text, c.pairs)
		}
		if got.Families.Workload != 6 || !got.Decided() || hasNote(got.Warnings, "not-declared", "") || len(got.Sentences) != 4 {
			t.Errorf("%s: %+v, decided %v, %+v, %q", c.baseline, got.Families, got.Decided(), got.Warnings, got.Sentences)
		}
	}
}

// TestDeclaredPairInEitherDirection checks that a pair has the declared verdict whether it is shown with
// the others or alone, and turned if it is requested that way.
func TestDeclaredPairInEitherDirection(t *testing.T) {
	rec := made(t, file("repeats: 12", twoByTwo, three, "compare: all", fourCells), someFaster)
	all := of(t, rec, verdict.Options{})
	for _, c := range []struct {
		baseline, other string
		verdicts, cells []record.Verdict
		turned          bool
	}{
		{"memory", "nfs", all.OtherPairs, all.OtherCells, false},
		{"nfs", "memory", all.OtherPairs, all.OtherCells, true},
		{"disk", "nfs", all.Verdicts, all.Cells, false},
		{"nfs", "disk", all.Verdicts, all.Cells, true},
	} {
		want := func(verdicts []record.Verdict) []record.Verdict {
			var found []record.Verdict
			for _, v := range verdicts {
				if c.turned {
					v = verdict.Turned(v)
				}
				if v.Baseline == c.baseline && v.Other == c.other {
					found = append(found, v)
				}
			}
			return found
		}
		got := of(t, rec, verdict.Options{Environments: []string{c.baseline, c.other}})
		if !reflect.DeepEqual(got.Verdicts, want(c.verdicts)) || !reflect.DeepEqual(got.Cells, want(c.cells)) || len(got.Verdicts) == 0 || len(got.Cells) == 0 {
			t.Errorf("%s against %s:\n got %+v\nwant %+v", c.other, c.baseline, got.Verdicts, want(c.verdicts))
		}
		if got.OtherPairs != nil || got.OtherCells != nil || got.Families != all.Families || hasNote(got.Warnings, "not-declared", "") {
			t.Errorf("%s against %s: %+v, %+v, %+v", c.other, c.baseline, got.OtherPairs, got.Families, got.Warnings)
		}
	}
}

// TestPairsByAnotherMetric checks that only requested pairs share the error of a metric that was not
// declared, with a note.
func TestPairsByAnotherMetric(t *testing.T) {
	rec := made(t, file("repeats: 12", three, "compare: all"), someFaster)
	for _, c := range []struct {
		environments []string
		family       int
	}{{nil, 3}, {[]string{"memory", "nfs"}, 1}, {[]string{"nfs", "disk"}, 1}} {
		got := of(t, rec, verdict.Options{Environments: c.environments, Metrics: []string{"p99"}})
		if got.Families.Workload != c.family || !hasNote(got.Warnings, "not-declared", "p99") {
			t.Errorf("%s: %+v, %+v", c.environments, got.Families, got.Warnings)
		}
		for _, v := range append(got.Verdicts, got.OtherPairs...) {
			if v.Outcome != record.Equivalent || !v.Asked {
				t.Errorf("%s: %+v", c.environments, v)
			}
		}
		if n := len(got.Verdicts) + len(got.OtherPairs); n != c.family {
			t.Errorf("%s: %d verdicts", c.environments, n)
		}
	}
	for _, v := range of(t, rec, verdict.Options{}).OtherPairs {
		if v.Metric == "p99" && (v.Outcome != "" || v.Level != 0.95) {
			t.Errorf("not declared: %+v", v)
		}
	}
}

// TestRequestedPairsWithTheFirst checks that requested environments are compared with the first of them only.
func TestRequestedPairsWithTheFirst(t *testing.T) {
	rec := made(t, file("repeats: 12", three, "compare: all"), someFaster)
	got := of(t, rec, verdict.Options{Environments: []string{"memory", "disk", "nfs"}, Metrics: []string{"p99"}})
	if got.Families.Workload != 2 || len(got.Verdicts) != 2 || len(got.OtherPairs) != 1 || got.OtherPairs[0].Asked {
		t.Errorf("%+v, %s; %+v", got.Families, pairs(got.Verdicts), got.OtherPairs)
	}
}

// TestDecidedWaitsForEveryPair checks that one undecided pair without the baseline keeps the comparison from being
// decided.
func TestDecidedWaitsForEveryPair(t *testing.T) {
	slow := faster(map[string]float64{"memory": 1.4, "nfs": 2})
	for compare, every := range map[string]bool{"compare: all": true, "stop: end": false} {
		got := of(t, made(t, file("repeats: 12", three, compare), func(run *record.Run) {
			if slow(run); run.Environment != "disk" {
				run.Result.TPS *= 4 * noise(run, 0.2)
			}
			if run.Environment == "nfs" {
				run.Result.TPS *= 0.7
			}
		}), verdict.Options{})
		if (len(got.OtherPairs) > 0) != every || every && got.OtherPairs[0].Outcome != record.Inconclusive || got.Decided() == every {
			t.Errorf("%s: decided is %v, %s; %s", compare, got.Decided(), pairs(got.Verdicts), pairs(got.OtherPairs))
		}
	}
}

// TestEveryPairOfTwo checks that compare: all changes nothing where there is only one pair.
func TestEveryPairOfTwo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plain := drawn(t, "{one: {}, two: {}}")
		every := made(t, strings.Replace(string(plain.ExperimentYAML), "\nbaseline:", "\ncompare: all\nbaseline:", 1), nil)
		every.Runs = plain.Runs
		for i := range every.Runs {
			every.Runs[i].Declared = ""
		}
		for _, environments := range [][]string{nil, {"one", "two"}, {"two", "one"}} {
			want, got := of(t, plain, verdict.Options{Environments: environments}), of(t, every, verdict.Options{Environments: environments})
			got.Plan.Compare = nil
			if len(every.Summary.Plan.Compare) != 1 || !reflect.DeepEqual(got, want) {
				t.Fatalf("%+v\nwithout compare %+v", got, want)
			}
		}
	})
}
