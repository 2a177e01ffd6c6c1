package inspect

import (
	"math"
	"slices"
	"testing"

	"plinth/internal/record"
)

// TestLess: what the server tells late is taken from the seconds after, and a gap is
// a gap.
func TestLess(t *testing.T) {
	gap := math.NaN()
	for _, c := range []struct {
		name           string
		all, own, want []float64
	}{
		{"a load", []float64{120, 121, 119}, []float64{20, 20, 20}, []float64{100, 101, 99}},
		{"told late", []float64{10, 30, 20}, []float64{20, 20, 20}, []float64{0, 0, 0}},
		{"owed for two seconds", []float64{5, 5, 50}, []float64{20, 20, 20}, []float64{0, 0, 0}},
		{"owed over a gap", []float64{10, gap, 35}, []float64{20, 20, 20}, []float64{0, gap, 5}},
		{"nothing was asked then", []float64{7, 8}, []float64{0, gap}, []float64{7, gap}},
		{"no server", nil, []float64{1}, nil},
	} {
		got := less(c.all, c.own)
		same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		if !slices.EqualFunc(got, c.want, same) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestGapsOfTPS are those of the columns that it is made of.
func TestGapsOfTPS(t *testing.T) {
	gaps := []record.TelemetryGap{
		{Columns: []string{"pg_stat_database.*"}}, {Columns: []string{"meminfo.Dirty"}}, {Columns: []string{"wal.bytes", own}},
		{Columns: []string{"pg_stat_database.blk_read_time"}},
	}
	spread(gaps)
	for i, want := range []bool{true, false, true, false} {
		if got := slices.Contains(gaps[i].Columns, "tps"); got != want {
			t.Errorf("%v: %v", gaps[i].Columns, got)
		}
	}
}
