package records

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/cli/base"
	"plinth/internal/record"
	"plinth/internal/record/index"
)

// TestDescribeEntry checks singular and plural.
func TestDescribeEntry(t *testing.T) {
	for valid, want := range map[int]string{0: "interrupted", 1: "interrupted, 1 valid run", 2: "interrupted, 2 valid runs"} {
		if got := describeEntry(index.Entry{Heading: record.Heading{State: record.Interrupted, Counts: record.Counts{Valid: valid}}}, valid); got != want {
			t.Errorf("%d: %q, want %q", valid, got, want)
		}
	}
}

// TestListAfterAKill checks that runs which the summary does not count are counted on disk, and
// that a long question stays within the screen.
func TestListAfterAKill(t *testing.T) {
	e := index.Entry{Name: "x", Path: t.TempDir(), Heading: record.Heading{
		State: record.Interrupted, Planned: 12, Question: strings.Repeat("does it fit? ", 20),
	}}
	for _, run := range []string{"a/w/c1-j1/r01", "b/w/c1-j1/r01.2", "a/w/c1-j1/.r02"} {
		dir := filepath.Join(e.Path, "runs", run)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(run, "/.") {
			continue // a run that was not committed
		}
		if err := os.WriteFile(filepath.Join(dir, "run.json"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := (&app{&base.App{Stdout: &out, Store: "results"}}).list([]index.Entry{e}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "  x\n      interrupted, 2 of 12 runs recorded\n      does it fit?") {
		t.Errorf("the list is\n%s", out.String())
	}
	for line := range strings.Lines(out.String()) {
		if len(strings.TrimSpace(line)) > 80 {
			t.Errorf("too wide: %q", line)
		}
	}
}
