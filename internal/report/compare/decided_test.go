package compare_test

import (
	"strings"
	"testing"

	"plinth/internal/record"
	"plinth/internal/report/reporttest"
	"plinth/internal/report/summary"
	"plinth/internal/verdict"
)

// flat returns a comparison as text on a single line.
func flat(t *testing.T, c *verdict.Comparison, records ...*record.Record) string {
	t.Helper()
	return strings.Join(strings.Fields(reporttest.Compared(t, c, "text", summary.Options{Records: records})), " ")
}

// TestFamiliesAreThoseThatWereRead checks that a comparison of two out of many environments has
// fewer comparisons than the plan.
func TestFamiliesAreThoseThatWereRead(t *testing.T) {
	c := matrix()
	c.Plan.Family, c.Plan.Cells = 6, 78
	text := flat(t, c)
	for _, want := range []string{"3 comparisons of workloads share the error rate (Holm)", "39 comparisons of cells share a separate error rate"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	c = byClients()
	c.Families = verdict.Families{Workload: 1, Cell: 2}
	text = flat(t, c)
	if strings.Contains(text, "of workloads share") || !strings.Contains(text, "2 comparisons of client counts share a separate error rate") {
		t.Errorf("one comparison shares nothing, two do:\n%s", text)
	}
}

// TestNoLookAfterTheEnd checks that an experiment that ended early announces no next look.
func TestNoLookAfterTheEnd(t *testing.T) {
	for _, test := range []struct {
		state        record.State
		reason, want string
	}{
		{record.Complete, "decided at the look after repeat 3", "ended here: everything was decided"},
		{record.Interrupted, "interrupted", "the next look is at 78 (repeat 6)"},
	} {
		rec := reporttest.Decided(t)
		rec.Summary.State, rec.Summary.Reason = test.state, test.reason
		text := flat(t, matrix(), rec)
		if !strings.Contains(text, test.want) {
			t.Errorf("%s: no %q in\n%s", test.state, test.want, text)
		}
		if strings.Contains(text, "ended here") && strings.Contains(text, "next look") {
			t.Errorf("both in\n%s", text)
		}
	}
}
