package compare_test

import (
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/report/reporttest"
)

// TestWarningsOfTwoRecordsSayOfWhich checks that warnings name their record, and that a common
// warning is shown once.
func TestWarningsOfTwoRecordsSayOfWhich(t *testing.T) {
	first, second := reporttest.Decided(t), reporttest.Decided(t)
	first.Path, second.Path = "results/before", "results/after"
	second.Summary.Warnings = []record.Note{{Rule: "governor", Text: "the CPU governor is powersave"}}
	second.Runs[3].Status, second.Runs[3].Reasons = record.Failed, []record.Note{{Rule: "killed", Text: "the server was killed"}}
	c := twoRecords()
	c.Records = []string{"before", "after"}
	text := flat(t, c, first, second)
	for _, want := range []string{
		"warning: before: random_page_cost is 4 in disk, 1.1 in memory",
		"warning: after: the CPU governor is powersave",
		"warning: before/disk and after/disk: CHECKPOINT is not permitted",
		"warning: the runs are not of one time",
		"Runs of after that are not valid", "Blocks of after left out",
	} {
		if n := strings.Count(text, want); n != 1 {
			t.Errorf("%d times %q in\n%s", n, want, text)
		}
	}
	if strings.Contains(text, "of before that are not valid") {
		t.Errorf("before has no such run:\n%s", text)
	}
}
