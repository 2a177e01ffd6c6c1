package records

import (
	"testing"

	"plinth/internal/record"
	"plinth/internal/verdict"
)

func TestNothingDecided(t *testing.T) {
	asked := func(word record.Outcome, n int) record.Verdict {
		return record.Verdict{Outcome: word, N: n, Asked: true}
	}
	for _, c := range []struct {
		name     string
		verdicts []record.Verdict
		want     bool
	}{
		{"no comparison", nil, true},
		{"no look was reached", []record.Verdict{asked("", 4)}, true},
		{"too few blocks", []record.Verdict{asked(record.Inconclusive, 5)}, true},
		{"enough blocks, and still unknown", []record.Verdict{asked(record.Inconclusive, 6)}, false},
		{"one of two", []record.Verdict{asked("", 4), asked(record.Better, 6)}, false},
		{"invalid is known", []record.Verdict{asked(record.Unfit, 0)}, false},
		{"not asked", []record.Verdict{{N: 6}}, true},
	} {
		if got := nothingDecided(&verdict.Comparison{Verdicts: c.verdicts, Fewest: verdict.Fewest{Workload: 6}}); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestGatesAreAboutTheBaseline checks that verdicts on other pairs of environments fail no gate.
func TestGatesAreAboutTheBaseline(t *testing.T) {
	for _, g := range gates {
		err := g.check(&verdict.Comparison{
			Verdicts:   []record.Verdict{{Baseline: "default", Other: "pgtune", Outcome: record.Better, Asked: true}},
			OtherPairs: []record.Verdict{{Baseline: "pgtune", Other: "oltp", Outcome: record.Worse, Asked: true}},
		})
		if err != nil {
			t.Errorf("%s: %v", g.name, err)
		}
	}
}

// TestLossFailsTheGate checks that a loss counts whatever the verdicts say and the baseline lost.
func TestLossFailsTheGate(t *testing.T) {
	one := func(found int64) record.Durability {
		return record.Durability{Fault: "power-cut", Injections: []record.Injection{{Acknowledged: 10, Found: found, Took: 1}}}
	}
	kept, lost := one(10), one(7)
	for _, c := range []struct {
		gate            string
		baseline, other record.Durability
		fails           bool
	}{
		{"worse", kept, lost, true}, {"not-better", kept, lost, true}, {"worse", lost, lost, true},
		{"inconclusive", kept, lost, false}, {"", kept, lost, false},
		{"worse", lost, kept, false}, {"worse", kept, kept, false},
	} {
		g, err := gateNamed(c.gate)
		if err != nil {
			t.Fatal(err)
		}
		err = g.check(&verdict.Comparison{
			Verdicts: []record.Verdict{{Outcome: record.Better, Asked: true}},
			Durability: []record.Survival{
				{Environment: "barriers", Baseline: true, Durability: c.baseline}, {Environment: "none", Durability: c.other},
			},
		})
		const want = "--fail-if "
		switch {
		case (err != nil) != c.fails:
			t.Errorf("%q, baseline %+v, other %+v: %v", c.gate, c.baseline, c.other, err)
		case err != nil && err.Error() != want+c.gate+": none: LOST 3 of 10 acknowledged writes in a power cut":
			t.Errorf("%v", err)
		}
	}
}
