// Package journaltest opens journals for tests, and undoes the changes noted in them when a test
// ends.
package journaltest

import (
	"context"
	"errors"
	"testing"

	"plinth/internal/journal"
)

// Open opens a journal for the test. When the test ends, its entries are undone with undoers,
// and any failure fails the test.
func Open(t testing.TB, undoers journal.Undoers) *journal.Journal {
	t.Helper()
	j, err := journal.Open(t.TempDir(), "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// t.Context() is already cancelled.
		if err := errors.Join(j.PutBack(context.Background(), undoers), j.Close()); err != nil {
			t.Error(err)
		}
	})
	return j
}
