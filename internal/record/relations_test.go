package record_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/record"
)

// TestRelations checks that both files of a run are returned as they were kept, that a run without them can be
// told apart, and that one file alone, or a link out of the record, is an error.
func TestRelations(t *testing.T) {
	w := newRecord(t, t.TempDir())
	with, without := newRun(runID("disk", 1), 1), newRun(runID("disk", 2), 2)
	pending, err := w.Begin(with.RunID)
	if err != nil {
		t.Fatal(err)
	}
	kept := record.Relations{Before: []byte("one"), After: []byte("two")}
	if err := errors.Join(pending.KeepRelations(kept), pending.Commit(with, minute(3))); err != nil {
		t.Fatal(err)
	}
	commit(t, w, without)
	closeIt(t, w)
	rec, err := record.Open(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	got, err := rec.Relations(&rec.Runs[0])
	if err != nil || string(got.Before) != "one" || string(got.After) != "two" {
		t.Errorf("got %q and %q, %v", got.Before, got.After, err)
	}
	if _, err := rec.Relations(&rec.Runs[1]); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a run without them: %v", err)
	}

	after := filepath.Join(w.Path(), with.Path(), "relations-after.json.gz")
	if err := os.Remove(after); err != nil {
		t.Fatal(err)
	}
	if got, err := rec.Relations(&rec.Runs[0]); err == nil || got.Before != nil || !strings.Contains(err.Error(), "relations-after.json.gz") {
		t.Errorf("one file alone: %q, %v", got.Before, err)
	}
	outside := filepath.Join(t.TempDir(), "secret")
	if err := errors.Join(os.WriteFile(outside, []byte("secret"), 0o600), os.Symlink(outside, after)); err != nil {
		t.Fatal(err)
	}
	if got, err := rec.Relations(&rec.Runs[0]); err == nil {
		t.Errorf("a link out of the record: %q", got.After)
	}
}
