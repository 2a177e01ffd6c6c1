package advice

import (
	"testing"
	"time"

	"plinth/internal/cost"
	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/prediction"
)

// replaced returns the environment slow on another disk, with a throughput and a p99 in seconds, each 10 % more or less.
func replaced(t *testing.T, in Input, disk string, o device.Options, tps, p99 float64) cost.Candidate {
	t.Helper()
	c, err := cost.NewCandidate(in.Experiment, in.Experiment.Environments[0], disk, o)
	if err != nil {
		t.Fatal(err)
	}
	around := func(v float64) prediction.Estimate { return prediction.Estimate{Value: v, Low: 0.9 * v, High: 1.1 * v} }
	c.Predictions = map[experiment.Cell]prediction.Prediction{{Workload: "tpcb-like", Clients: 1, Threads: 1}: {TPS: around(tps), P99: around(p99)}}
	return c
}

// standings returns the standings of predicted disks, by rule.
func standings(a *Advice) map[string]string {
	all := map[string]string{}
	for _, p := range a.Predicted {
		all[p.Name] = p.Standing
	}
	return all
}

// TestPredicted: whatever a prediction says, the answers are those of the measured environments; it is listed beside
// them. Measured are 1,000 TPS for 40, 3,000 for 60 and 9,000 for 1,102.50, with a p99 of 10, 3.3 and 1.1 ms.
func TestPredicted(t *testing.T) {
	tps := values{"slow": around(1000), "fast": around(3000), "dear": around(9000)}
	for name, tc := range map[string]struct {
		disk     string
		iops     float64
		tps, p99 float64
		budget   float64
		limit    time.Duration
		want     map[string]string
	}{
		// 12,000 TPS for 127.50 are more than 9,000, and cost less for each than 3,000 for 60.
		"far better": {"io2", 1000, 12000, 0.0008, 0, 0, map[string]string{"writes": Better, "latency": Better, "cost": Better}},
		"perhaps":    {"io2", 1000, 9200, 0.0011, 0, 0, map[string]string{"writes": Perhaps, "latency": Perhaps, "cost": Better}},
		"worse":      {"io2", 1000, 2000, 0.005, 0, 0, map[string]string{"writes": NotBetter, "latency": NotBetter, "cost": NotBetter}},
		// Within 100 a month, fast performs best; the disk costs more than that.
		"over the budget": {"io2", 1000, 12000, 0.0008, 100, 0, map[string]string{"budget": NotBetter, "writes": Better, "latency": Better, "cost": Better}},
		// The cheapest one within 5 ms is fast, for 60. A gp3 volume costs 40.
		"within the limit":   {"gp3", 0, 3000, 0.004, 0, 5 * time.Millisecond, map[string]string{"p99": Better, "writes": NotBetter, "cost": Better}},
		"perhaps within it":  {"gp3", 0, 3000, 0.005, 0, 5 * time.Millisecond, map[string]string{"p99": Perhaps, "writes": NotBetter, "cost": Better}},
		"longer than it":     {"gp3", 0, 3000, 0.006, 0, 5 * time.Millisecond, map[string]string{"p99": NotBetter, "writes": NotBetter, "cost": Better}},
		"the only one there": {"gp3", 0, 3000, 0.0004, 0, time.Millisecond, map[string]string{"p99": Better, "writes": NotBetter, "cost": Better}},
	} {
		in := input(t, "tpcb-like", three, tps)
		in.Budget, in.P99 = tc.budget, tc.limit
		without := advise(t, in)
		in.Candidates = []cost.Candidate{replaced(t, in, tc.disk, device.Options{IOPS: tc.iops}, tc.tps, tc.p99)}
		a := advise(t, in)
		got := standings(a)
		for rule, want := range tc.want {
			if got[rule] != want {
				t.Errorf("%s, %s: %q, want %q", name, rule, got[rule], want)
			}
		}
		if len(got) != len(tc.want) {
			t.Errorf("%s: %v", name, got)
		}
		if len(a.Answers) != len(without.Answers) {
			t.Fatalf("%s: %+v", name, a.Answers)
		}
		for i, answer := range without.Answers {
			for j, c := range answer.Choices {
				if chosen := a.Answers[i].Choices[j]; chosen.Environment != c.Environment || chosen.Sure != c.Sure || chosen.Basis == "predicted" {
					t.Errorf("%s, %s: %s instead of %s", name, answer.Name, chosen.Environment, c.Environment)
				}
			}
		}
		for _, p := range a.Predicted {
			if p.Basis != "predicted" || p.From != "slow" || p.Declaration == "" || p.Standing == "" {
				t.Errorf("%s: %+v", name, p)
			}
		}
	}
}

// TestNotPredicted: where nothing is measured of a quantity, a prediction of it would have nothing to stand beside.
func TestNotPredicted(t *testing.T) {
	in := input(t, "tpcb-like", "  slow: {storage: {data: /mnt}}\n  fast: {storage: {data: /srv}}\n", values{"slow": around(1000), "fast": around(3000)})
	in.Candidates = []cost.Candidate{replaced(t, in, "gp3", device.Options{}, 4000, 0.001)}
	if got := standings(advise(t, in)); got["cost"] != "" || got["writes"] != Better {
		t.Errorf("%v", got)
	}
	in.Candidates[0].Predictions, in.Candidates[0].Refused = nil, map[experiment.Cell]string{{Workload: "tpcb-like", Clients: 1, Threads: 1}: "it waits for a cat"}
	if a := advise(t, in); len(a.Predicted) != 0 || len(a.Refused) != 1 || a.Refused[0] != "gp3 under tpcb-like: it waits for a cat" {
		t.Errorf("%+v, %q", a.Predicted, a.Refused)
	}
}
