package telemetry

import (
	"errors"
	"testing"
	"time"

	"plinth/internal/record"
)

// TestBoard checks that a column which appears during a run was absent before, that unknown
// values have their own reason, and that a time set by the source is used.
func TestBoard(t *testing.T) {
	b := NewBoard("server")
	old, refused := b.Column(reads, "old"), b.Column(reads, "refused")
	b.Begin(after(0))
	b.Put(old, 5)
	b.Put(refused, 1)
	b.End(after(0), nil)
	put(b, 1, errors.New("the connection was lost"), nil)
	put(b, 2, nil, map[Slot]float64{old: 6, refused: 2})

	b.Begin(after(2.6))
	b.At(after(3))
	late := b.Column(reads, "late")
	b.Before(late, 0)
	b.Before(late, 7) // it is no longer new
	b.Put(late, 10)
	b.Put(old, 8)
	b.Put(refused, 3)
	b.Unknown(refused, "permission denied")
	b.End(after(2.6).Add(time.Second), nil)

	columns, gaps := b.Columns(begin, seconds(0, 2))
	for i, want := range [][]float64{{gap, gap, 2}, {gap, gap, gap}, {gap, gap, 10}} {
		if !same(columns[i].Values, want) {
			t.Errorf("%s: %v, want %v", columns[i].Name, columns[i].Values, want)
		}
	}
	checkGaps(t, gaps, []record.TelemetryGap{
		{Columns: []string{"server.*"}, From: 0, To: 1, Why: "the connection was lost"},
		{Columns: []string{"diskstats.refused.reads"}, From: 2, To: 2, Why: "permission denied"},
	})
}
