package inspect

import (
	"math"
	"slices"
	"testing"

	"plinth/internal/record"
)

// TestLess checks that late reports are subtracted from the following seconds, and that a gap
// remains a gap.
func TestLess(t *testing.T) {
	gap := math.NaN()
	for _, c := range []struct {
		name           string
		all, own, want []float64
	}{
		{"a load", []float64{120, 121, 119}, []float64{20, 20, 20}, []float64{100, 101, 99}},
		{"reported late", []float64{10, 30, 20}, []float64{20, 20, 20}, []float64{0, 0, 0}},
		{"owed for two seconds", []float64{5, 5, 50}, []float64{20, 20, 20}, []float64{0, 0, 0}},
		{"owed over a gap", []float64{10, gap, 35}, []float64{20, 20, 20}, []float64{0, gap, 5}},
		{"no queries in that second", []float64{7, 8}, []float64{0, gap}, []float64{7, gap}},
		{"no server", nil, []float64{1}, nil},
	} {
		got := less(c.all, c.own)
		same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		if !slices.EqualFunc(got, c.want, same) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestGapsOfTPS checks that gaps of its columns become gaps of tps.
func TestGapsOfTPS(t *testing.T) {
	gaps := []record.TelemetryGap{
		{Columns: []string{"pg_stat_database.*"}}, {Columns: []string{"meminfo.Dirty"}}, {Columns: []string{"wal.bytes", "plinth.transactions"}},
		{Columns: []string{"pg_stat_database.blk_read_time"}},
	}
	spread(gaps, engines["postgres"].done)
	for i, want := range []bool{true, false, true, false} {
		if got := slices.Contains(gaps[i].Columns, "tps"); got != want {
			t.Errorf("%v: %v", gaps[i].Columns, got)
		}
	}
}

// TestDone checks that TPS is a server's own column, minus plinth's if that exists.
func TestDone(t *testing.T) {
	columns := []record.Column{
		{Name: "info.total_commands_processed", Values: []float64{30, 31}},
		{Name: "pg_stat_database.all.xact_commit", Values: []float64{20, 21}}, {Name: "plinth.transactions", Values: []float64{1, 2}},
	}
	if got := doneBy(columns, engines["redis"].done); !slices.Equal(got, []float64{30, 31}) {
		t.Errorf("Redis: %v", got)
	}
	if got := doneBy(columns, engines["postgres"].done); !slices.Equal(got, []float64{19, 19}) {
		t.Errorf("PostgreSQL: %v", got)
	}
	if got := doneBy(columns[:1], engines["postgres"].done); got != nil {
		t.Errorf("a server that was not read: %v", got)
	}
	if got := doneBy(columns, nil); got != nil {
		t.Errorf("no server: %v", got)
	}
}
