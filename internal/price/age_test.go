package price

import (
	"testing"
	"time"
)

// TestOldSources: the book is not old, but what it has of Jakarta is.
func TestOldSources(t *testing.T) {
	b := today(t)
	day := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	if b.Old(day) {
		t.Error("the newest source is older than a year")
	}
	old := b.OldSources(b.Regions["ap-southeast-3"], day)
	if len(old) != 1 || old[0].Date != "2025-05-28" {
		t.Errorf("Jakarta's old sources: %v", old)
	}
	if old := b.OldSources(b.Regions["ap-southeast-3"], day.AddDate(-1, 0, 0)); len(old) > 0 {
		t.Errorf("a year before: %v", old)
	}
}
