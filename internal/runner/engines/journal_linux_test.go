package engines

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plinth/internal/host/hosttest"
	"plinth/internal/journal"
)

// TestJournalOfBefore checks that the journal of an earlier plinth can be undone. It holds one
// entry of each kind in the format of that version, for things that no longer exist. Entries
// that need an unreachable server or domain stay in the journal.
func TestJournalOfBefore(t *testing.T) {
	hosttest.NeedRoot(t)
	text, err := os.ReadFile("testdata/journal.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	if err := os.WriteFile(filepath.Join(state, "before.journal"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	leftovers, err := journal.Leftovers(state)
	if err != nil || len(leftovers) != 1 {
		t.Fatalf("%d leftovers, %v", len(leftovers), err)
	}
	left := leftovers[0]
	defer func() { _ = left.Close() }()
	var kinds []string
	for _, e := range left.Entries() {
		kinds = append(kinds, e.Kind)
	}
	slices.Sort(kinds)
	undoers := Undoers()
	if want := slices.Sorted(maps.Keys(undoers)); !slices.Equal(kinds, want) {
		t.Errorf("testdata/journal.jsonl has the kinds %v, and there are %v", kinds, want)
	}
	err = left.PutBack(t.Context(), undoers)
	if err == nil {
		t.Fatal("servers that cannot be reached were put back")
	}
	for _, e := range left.Entries() {
		switch e.Kind {
		case "postgres-database", "redis-keys", "domain", "server-setting", "kubernetes-cordon":
			if !strings.Contains(err.Error(), e.Describe()) {
				t.Errorf("nothing is said of %s: %v", e.Describe(), err)
			}
		case "tuning": // its start entry stays as long as any of its other entries
		default:
			t.Errorf("%s stays: %v", e.Describe(), err)
		}
	}
	if n := len(left.Entries()); n != 6 {
		t.Errorf("%d entries are left: %v", n, err)
	}
}
