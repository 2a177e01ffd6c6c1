package pgbench

import (
	"strings"
	"testing"

	"plinth/internal/driver"
	"plinth/internal/experiment"
	"plinth/internal/record"
)

func TestDisagreements(t *testing.T) {
	log := sums{done: 100, failures: 3, skipped: 2, retried: 4, retries: 5, late: 6, latency: 100 * 400}
	same := summary{complete: true, processed: 100, failed: 3, skipped: 2, retried: 4, retries: 5, late: 6, mean: 0.4}
	for name, c := range map[string]struct {
		change func(*summary)
		want   string // a part of the problem; empty for none
	}{
		"same":        {func(*summary) {}, ""},
		"rounded":     {func(s *summary) { s.mean = 0.4009 }, ""},
		"within 1 %":  {func(s *summary) { s.mean = 0.4039 }, ""},
		"mean":        {func(s *summary) { s.mean = 0.41 }, "mean latency: 0.400 ms in the log, 0.410 ms printed"},
		"one too few": {func(s *summary) { s.processed = 101 }, "transactions: 100 in the log, 101 printed"},
		"failed":      {func(s *summary) { s.failed = 0 }, "failed: 3 in the log, 0 printed"},
		"skipped":     {func(s *summary) { s.skipped = 1 }, "skipped: 2 in the log, 1 printed"},
		"retried":     {func(s *summary) { s.retried = 5 }, "retried: 4 in the log, 5 printed"},
		"retries":     {func(s *summary) { s.retries = 4 }, "retries: 5 in the log, 4 printed"},
		"late":        {func(s *summary) { s.late = 0 }, "late: 6 in the log, 0 printed"},
		"no summary":  {func(s *summary) { *s = summary{} }, "pgbench printed no summary"},
		"two things":  {func(s *summary) { s.failed, s.late = 0, 0 }, "failed: 3 in the log, 0 printed; late: 6"},
	} {
		printed := same
		c.change(&printed)
		notes := disagreements([]string{"a"}, 2, []sums{log}, printed)
		switch {
		case c.want == "" && len(notes) > 0:
			t.Errorf("%s: %v", name, notes)
		case c.want != "" && (len(notes) != 1 || notes[0].Rule != "log-disagrees" || !strings.Contains(notes[0].Text, c.want)):
			t.Errorf("%s: got %v, want %q", name, notes, c.want)
		}
	}
	tiny := sums{done: 10, latency: 333} // 33.3 us, printed with three digits of a millisecond
	if notes := disagreements([]string{"a"}, 2, []sums{tiny}, summary{complete: true, processed: 10, mean: 0.034}); notes != nil {
		t.Errorf("rounding of a tiny mean: %v", notes)
	}
}

// TestScriptsDisagree checks a mix whose totals agree and whose parts do not.
func TestScriptsDisagree(t *testing.T) {
	log := []sums{{done: 100, skipped: 2, late: 6, latency: 100 * 400}, {done: 50, failures: 3, latency: 50 * 400}}
	printed := func() summary {
		return summary{complete: true, processed: 150, failed: 3, skipped: 2, late: 6, mean: 0.4, scripts: []summary{
			{processed: 100, skipped: 2, mean: 0.4}, {processed: 50, failed: 3, mean: 0.4}}}
	}
	names := []string{"slow", "quick"}
	if notes := disagreements(names, 1, log, printed()); notes != nil {
		t.Errorf("the same: %v", notes)
	}
	for want, change := range map[string]func(*summary){
		"disagree: script slow: transactions: 100 in the log, 99 printed; script quick: transactions: 50 in the log, 51 printed": func(s *summary) {
			s.scripts[0].processed, s.scripts[1].processed = 99, 51
		},
		"disagree: script quick: mean latency: 0.400 ms in the log, 0.500 ms printed": func(s *summary) { s.scripts[1].mean = 0.5 },
		"disagree: scripts: 2 run, 1 printed":                                         func(s *summary) { s.scripts = s.scripts[:1] },
	} {
		s := printed()
		change(&s)
		if notes := disagreements(names, 1, log, s); len(notes) != 1 || !strings.HasSuffix(notes[0].Text, want) {
			t.Errorf("got %v, want %q", notes, want)
		}
	}
	lacking := printed()
	lacking.scripts[0].processed, lacking.scripts[1].processed = 96, 49
	if notes := disagreements(names, 2, log, lacking); notes != nil {
		t.Errorf("threads may lose a few: %v", notes)
	}
	lacking.scripts[0].processed, lacking.scripts[1].processed = 101, 46
	if notes := disagreements(names, 2, log, lacking); len(notes) != 1 || strings.Count(notes[0].Text, "script ") != 2 {
		t.Errorf("threads cannot add any, nor lose that many: %v", notes)
	}
}

func TestWarnings(t *testing.T) {
	for name, c := range map[string]struct {
		rate   float64
		result record.Result
		want   string // rules
		text   string // of the first
	}{
		"clean": {0, record.Result{Transactions: 1000, Duration: 2}, "", ""},
		"97 % skipped": {100_000, record.Result{Transactions: 5200, Skipped: 193_818, Late: 5198, Duration: 2}, "skipped late",
			"193818 of 199018 due transactions were skipped (97.4 %): latencies cover only the others"},
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
	for rate, want := range map[float64]string{0: "affect only TPS", 500: "includes connecting, but not disconnecting"} {
		job.Cell.Rate = rate
		notes := warnings(job, record.Result{Transactions: 1000, Duration: 2})
		if len(notes) != 1 || notes[0].Rule != "connect-not-in-latency" || !strings.Contains(notes[0].Text, want) {
			t.Errorf("rate %v: %v", rate, notes)
		}
	}
}
