package cli

import (
	"testing"

	"plinth/internal/record"
)

// TestDescribeEntry: one is one.
func TestDescribeEntry(t *testing.T) {
	for valid, want := range map[int]string{0: "interrupted", 1: "interrupted, 1 valid run", 2: "interrupted, 2 valid runs"} {
		if got := describeEntry(record.Entry{State: record.Interrupted, Counts: record.Counts{Valid: valid}}); got != want {
			t.Errorf("%d: %q, want %q", valid, got, want)
		}
	}
}
