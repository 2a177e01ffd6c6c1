package environment_test

import (
	"slices"
	"testing"

	"plinth/internal/record"
	"plinth/internal/report/environment"
	"plinth/internal/report/reporttest"
)

// TestLeftOut checks that environments that were not measured are listed once.
func TestLeftOut(t *testing.T) {
	rec := reporttest.WellDecided(t)
	if lines := environment.LeftOut(rec); len(lines) > 0 {
		t.Errorf("nothing was left out: %q", lines)
	}
	rec.Summary.LeftOut = []record.LeftOut{{Environment: "longhorn-1r", Reason: "the cluster has no storage class longhorn-1r"}}
	want := []string{"longhorn-1r was not measured: the cluster has no storage class longhorn-1r"}
	if lines := environment.LeftOut(rec); !slices.Equal(lines, want) {
		t.Errorf("got %q", lines)
	}
	if lines := environment.LeftOut(reporttest.InSteps(t, 7)); len(lines) > 0 {
		t.Errorf("the table of steps has it: %q", lines)
	}
}
