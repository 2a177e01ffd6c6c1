package show_test

import (
	"fmt"
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/report/reporttest"
	"plinth/internal/report/summary"
)

// TestACauseIsSaidOnce checks that an environment that fails in every run has one message.
func TestACauseIsSaidOnce(t *testing.T) {
	rec := reporttest.Decided(t)
	for i := range rec.Runs {
		run := &rec.Runs[i]
		switch {
		case run.Environment == "memory" && run.Cell.Path() == "tpcb-like/c8-j1" && run.Repeat != 5:
			run.Status, run.Reasons = record.Failed, []record.Note{{Rule: "killed", Text: fmt.Sprintf("the server %d was killed", 100+run.Repeat)}}
		case run.Environment == "disk" && run.Cell.Path() == "select-only/c1-j1" && run.Repeat == 2:
			run.Status, run.Reasons = record.Invalid, []record.Note{{Rule: "logs", Text: "the logs disagree"}}
		case run.Environment == "disk" && run.Cell.Path() == "tpcb-like/c1-j1" && run.Repeat < 3:
			run.Beside = &record.Beside{Reasons: []record.Note{{Rule: "gap-differs", Text: fmt.Sprintf("gaps are %d points apart", 10+run.Repeat)}}}
		}
	}
	text := strings.Join(strings.Fields(reporttest.Written(t, rec, "text", summary.Options{})), " ")
	for _, want := range []string{
		"- 5 runs, memory, tpcb-like/c8-j1 (repeats 1-4, 6), failed: the first: the server 101 was killed",
		", disk, select-only, 1 client, 1 thread, repeat 2, invalid: the logs disagree",
		"- 5 blocks, tpcb-like/c8-j1 (repeats 1-4, 6), left out in every environment: memory is failed",
		"- select-only, 1 client, 1 thread, repeat 2 is left out in every environment: disk is invalid",
		"- 2 blocks, tpcb-like/c1-j1 (repeats 1-2), left out in every environment: the first: gaps are 11 points apart",
	} {
		if n := strings.Count(text, want); n != 1 {
			t.Errorf("%d times %q in\n%s", n, want, text)
		}
	}
}
