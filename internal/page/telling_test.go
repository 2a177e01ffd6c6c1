package page

import (
	"slices"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

func TestTelling(t *testing.T) {
	rec := &record.Record{Summary: record.Summary{Baseline: "disk"}}
	for repeat, effect := range []float64{1.1, 1.3, 1.9} {
		for _, workload := range []string{"select-only", "tpcb-like"} {
			for _, clients := range []int{1, 8} {
				for _, env := range []string{"memory", "disk"} {
					run := record.Run{RunID: record.RunID{Environment: env, Repeat: repeat + 1, Attempt: 1}, Status: record.Valid}
					run.Cell = experiment.Cell{Workload: workload, Clients: clients, Threads: 1}
					run.Result.TPS = 100
					if env == "memory" {
						run.Result.TPS *= effect
					}
					rec.Runs = append(rec.Runs, run)
				}
			}
		}
	}
	for _, c := range []struct {
		verdicts []record.Verdict
		want     []string
	}{
		{nil, []string{"disk/tpcb-like/c8-j1/r02", "memory/tpcb-like/c8-j1/r02"}},
		{[]record.Verdict{{Workload: "select-only", Outcome: record.Worse, Effect: -0.2}, {Workload: "tpcb-like", Outcome: record.Better, Effect: 0.2},
			{Workload: "tpcb-like", Outcome: record.Inconclusive, Effect: 3}},
			[]string{"disk/select-only/c8-j1/r02", "memory/select-only/c8-j1/r02"}},
	} {
		rec.Summary.Verdicts = c.verdicts
		if got := telling(rec, rec.Runs); !slices.Equal(got, c.want) {
			t.Errorf("%v, want %v", got, c.want)
		}
	}
	if got := telling(rec, nil); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}
