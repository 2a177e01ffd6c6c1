package cli

import (
	"testing"

	"plinth/internal/record"
	"plinth/internal/verdict"
)

func TestNothingDecided(t *testing.T) {
	asked := func(word record.Word, n int) record.Verdict { return record.Verdict{Word: word, N: n, Asked: true} }
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
