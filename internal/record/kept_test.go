package record_test

import (
	"testing"

	"plinth/internal/record"
)

// TestKeptOnce checks that something is computed from a run only once, though the record that is read again
// after another run is a different one.
func TestKeptOnce(t *testing.T) {
	w := newRecord(t, t.TempDir())
	first := newRun(runID("disk", 1), 1)
	commit(t, w, first)
	follower := record.NewFollower(w.Path())
	computed := 0
	ask := func(rec *record.Record) {
		t.Helper()
		if got := rec.Kept(first.RunID, "sum", func() any { computed++; return 42 }); got != 42 || !rec.Keeps() {
			t.Errorf("it keeps %v", got)
		}
	}
	before, err := follower.Record()
	must(t, err)
	ask(before)
	ask(before)
	commit(t, w, newRun(runID("disk", 2), 2))
	after, err := follower.Record()
	must(t, err)
	ask(after)
	if before == after || computed != 1 {
		t.Errorf("it was computed %d times", computed)
	}
	if got := after.Kept(first.RunID, "mean", func() any { return 7 }); got != 7 {
		t.Errorf("for another purpose it keeps %v", got)
	}
	made := &record.Record{}
	if made.Keeps() || made.Kept(first.RunID, "sum", func() any { return 1 }) != 1 || made.Kept(first.RunID, "sum", func() any { return 2 }) != 2 {
		t.Error("a record that was not read keeps something")
	}
}
