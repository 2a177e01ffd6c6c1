package verdict_test

import (
	"encoding/json"
	"math"
	"testing"

	"pgregory.net/rapid"

	"plinth/internal/record"
	"plinth/internal/verdict"
)

const ladder = "{first: {}, second: {}, third: {}}"

// climbing builds a record of three environments, each faster than the one before.
func climbing(t fatal, lines ...string) *record.Record {
	t.Helper()
	return made(t, file(append([]string{"environments: " + ladder, "clients: [1, 8]", "repeats: 7"}, lines...)...),
		faster(map[string]float64{"second": 1.2, "third": 1.5}))
}

// TestPairsHaveAnErrorOfTheirOwn checks that a single pair has the verdict that compare
// gives it, and that two pairs share the 5 %.
func TestPairsHaveAnErrorOfTheirOwn(t *testing.T) {
	rec := climbing(t)
	alone, _, err := verdict.Pairs(rec, []verdict.Pair{{Baseline: "second", Other: "third"}})
	if err != nil {
		t.Fatal(err)
	}
	want := find(t, of(t, rec, verdict.Options{Environments: []string{"second", "third"}}).Verdicts, "tpcb-like", "third", "tps")
	if got := alone[0]; got.Outcome != record.Better || got.Low != want.Low || got.High != want.High || got.Level != want.Level || !got.Asked {
		t.Errorf("it is %+v, compare says %+v", got, want)
	}
	both, fewest, err := verdict.Pairs(rec, []verdict.Pair{{Baseline: "first", Other: "second"}, {Baseline: "second", Other: "third"}})
	if err != nil || len(both) != 2 {
		t.Fatal(both, err)
	}
	if _, one, _ := verdict.Pairs(rec, []verdict.Pair{{Baseline: "second", Other: "third"}}); fewest <= one {
		t.Errorf("of two pairs a word takes %d units, of one %d", fewest, one)
	}
	if least := min(both[0].Level, both[1].Level); math.Abs(least-want.Level) > 1e-9 || max(both[0].Level, both[1].Level) <= least {
		t.Errorf("levels are %v and %v, of one pair %v", both[0].Level, both[1].Level, want.Level)
	}
}

// TestEffectsHaveNoWord checks that effects have no outcome by any metric, and that Clients
// selects cells.
func TestEffectsHaveNoWord(t *testing.T) {
	rec := made(t, file("environments: "+ladder, "clients: [1, 8]", "repeats: 7"), func(run *record.Run) {
		if run.Environment == "third" && run.Clients == 1 {
			run.Result.Latency.Mean /= 4
		}
		run.Result.Latency.Mean *= noise(run, 0.01)
	})
	all, err := verdict.Effects(rec, []verdict.Pair{{Baseline: "second", Other: "third"}}, []verdict.Quantity{{Metric: "latency"}, {Metric: "latency", Clients: 1}})
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	for i, want := range []float64{-0.5, -0.75} {
		if v := all[i]; v.Outcome != "" || v.Asked || v.Level == 0 || math.Abs(v.Effect-want) > 0.02 || v.N != []int{14, 7}[i] {
			t.Errorf("%d: %+v, want %v", i, v, want)
		}
	}
	if _, err := verdict.Effects(rec, nil, []verdict.Quantity{{Metric: "no-such"}}); err == nil {
		t.Error("there is no such metric")
	}
}

// TestOverallIsTheMeanOfMeans checks the mean of published tables: reads outweigh writes.
func TestOverallIsTheMeanOfMeans(t *testing.T) {
	rec := made(t, file("workloads: [select-only, tpcb-like]", "environments: "+ladder), func(run *record.Run) {
		run.Result.TPS = map[string]float64{"select-only": 9000, "tpcb-like": 1000}[run.Workload]
		if run.Environment == "third" && run.Workload == "tpcb-like" {
			run.Result.TPS *= 2
		}
		run.Result.TPS *= noise(run, 1e-6)
	})
	all, err := verdict.Overall(rec, []verdict.Pair{{Baseline: "first", Other: "third"}})
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	if v := all[0]; v.Workload != "" || math.Abs(v.Effect-0.1) > 1e-4 || v.N != 6 || v.Outcome != "" || math.Abs(v.A-5000) > 1 || math.Abs(v.B-5500) > 1 {
		t.Errorf("it is %+v", v)
	}
	rec.Runs[0].Status = record.Invalid
	if all, _ := verdict.Overall(rec, []verdict.Pair{{Baseline: "first", Other: "third"}}); all[0].N != 5 {
		t.Errorf("a repeat without one of its cells has no mean of all: %+v", all[0])
	}
}

// TestBeforeTheFirstLookPairsHaveARange checks that pairs then have neither interval nor
// outcome.
func TestBeforeTheFirstLookPairsHaveARange(t *testing.T) {
	rec := until(climbing(t), 2)
	pairs, _, err := verdict.Pairs(rec, []verdict.Pair{{Baseline: "second", Other: "third"}})
	if err != nil {
		t.Fatal(err)
	}
	overall, err := verdict.Overall(rec, []verdict.Pair{{Baseline: "second", Other: "third"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range append(pairs, overall...) {
		if v.Level != 0 || v.Outcome != "" || v.N == 0 {
			t.Errorf("%+v", v)
		}
	}
}

// TestTurned checks that a turned verdict equals that of the comparison with exchanged
// sides.
func TestTurned(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec := drawn(t, "{one: {}, two: {}}")
		there, back := tpsOf(t, rec, "one", "two"), tpsOf(t, rec, "two", "one")
		for i, v := range there {
			got, want := verdict.Turned(v), back[i]
			if got.Baseline != want.Baseline || got.Other != want.Other || got.Outcome != want.Outcome || !alike(got.A, want.A) {
				t.Fatalf("%+v, want %+v", got, want)
			}
			for _, p := range [][2]float64{{got.Effect, want.Effect}, {got.Low, want.Low}, {got.High, want.High}} {
				if math.Abs(math.Log1p(p[0])-math.Log1p(p[1])) > 1e-9 {
					t.Fatalf("%+v, want %+v", got, want)
				}
			}
			if again := verdict.Turned(got); again.Outcome != v.Outcome || !alike(again.Effect, v.Effect) {
				t.Fatalf("twice turned %+v is %+v", v, again)
			}
		}
	})
	difference := verdict.Turned(record.Verdict{Difference: true, Effect: 0.2, Low: 0.1, High: 0.4})
	if difference.Effect != -0.2 || difference.Low != -0.4 || difference.High != -0.1 {
		t.Errorf("%+v", difference)
	}
	if _, err := json.Marshal(verdict.Turned(record.Verdict{Effect: -1, Low: -1, High: -1})); err != nil {
		t.Error(err)
	}
}
