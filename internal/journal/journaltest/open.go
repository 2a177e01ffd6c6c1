// Package journaltest is journals for tests of what undoes changes.
package journaltest

import (
	"context"
	"errors"
	"testing"

	"plinth/internal/journal"
)

// Open opens a journal of the test's own. What it names is put back when the test ends,
// by undoers, and must be.
func Open(t testing.TB, undoers journal.Undoers) *journal.Journal {
	t.Helper()
	j, err := journal.Open(t.TempDir(), "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// t.Context() is over by now.
		if err := errors.Join(j.PutBack(context.Background(), undoers), j.Close()); err != nil {
			t.Error(err)
		}
	})
	return j
}
