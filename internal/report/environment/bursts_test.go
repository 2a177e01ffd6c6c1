package environment_test

import (
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/report/environment"
)

func TestBursts(t *testing.T) {
	at := func(second float64) *float64 { return &second }
	run := func(environment string, ended, expected float64, status record.Status) record.Run {
		r := record.Run{Status: status, Bursts: []record.Burst{{Volume: "data", Limit: "iops", Left: 0, Ended: at(ended), Expected: at(expected)}},
			Credits: &record.CreditsSpent{Start: 0.5, End: 0.1}}
		r.Environment = environment
		return r
	}
	runs := []record.Run{
		run("burst", 30, 31, record.Valid), run("burst", 10, 11, record.Valid), run("burst", 20, 21, record.Valid),
		run("burst", 999, 999, record.Invalid), {RunID: record.RunID{Environment: "flat"}, Status: record.Valid},
	}
	text := environment.Bursts(runs, []string{"burst", "flat"}).Text(80)
	for _, want := range []string{"burst        CPU credits     3         0         -              -", "data IOPS       3         3    20.0 s         21.0 s"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "flat") {
		t.Errorf("an environment without bursts:\n%s", text)
	}
	if d := environment.Bursts(runs[4:], []string{"flat"}); d != nil {
		t.Errorf("without any: %s", d.Text(80))
	}
}
