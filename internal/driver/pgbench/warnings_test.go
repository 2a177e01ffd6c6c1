package pgbench

import (
	"strings"
	"testing"

	"plinth/internal/driver"
	"plinth/internal/experiment"
	"plinth/internal/record"
)

func TestWarnings(t *testing.T) {
	for name, c := range map[string]struct {
		rate   float64
		result record.Result
		want   string // rules
		text   string // of the first
	}{
		"clean": {0, record.Result{Transactions: 1000, Duration: 2}, "", ""},
		"97 % skipped": {100_000, record.Result{Transactions: 5200, Skipped: 193_818, Late: 5198, Duration: 2}, "skipped late",
			"193818 of 199018 transactions that were due were skipped (97.4 %): latencies are of the others"},
		"1 % is borne": {500, record.Result{Transactions: 980, Skipped: 10, Failures: 10, Late: 9, Duration: 2}, "", ""},
		"late":         {500, record.Result{Transactions: 1000, Late: 11, Duration: 2}, "late", "11 of 1000 transactions took longer than latency_limit (1.1 %)"},
	} {
		job := driver.Job{Experiment: &experiment.Experiment{Connect: "once"}, Cell: experiment.Cell{Rate: c.rate}}
		notes := warnings(job, c.result)
		var rules []string
		for _, n := range notes {
			rules = append(rules, n.Rule)
		}
		if got := strings.Join(rules, " "); got != c.want {
			t.Errorf("%s: got %v, want %s", name, notes, c.want)
		} else if c.want != "" && notes[0].Text != c.text {
			t.Errorf("%s: %s", name, notes[0].Text)
		}
	}
}

func TestConnectWarning(t *testing.T) {
	job := driver.Job{Experiment: &experiment.Experiment{Connect: "each"}}
	for rate, want := range map[float64]string{0: "are in TPS only", 500: "covers connecting, but not disconnecting"} {
		job.Cell.Rate = rate
		notes := warnings(job, record.Result{Transactions: 1000, Duration: 2})
		if len(notes) != 1 || notes[0].Rule != "connect-not-in-latency" || !strings.Contains(notes[0].Text, want) {
			t.Errorf("rate %v: %v", rate, notes)
		}
	}
}
