package figure_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"plinth/internal/figure"
	"plinth/internal/host"
	"plinth/internal/record"
)

var gap = math.NaN()

// table is columns by name; made puts the seconds in front, with two of a warm-up
// that nobody may look at.
type table map[string][]float64

const warmup = 2

func (t table) points() record.Points {
	n := 0
	for _, values := range t {
		n = max(n, len(values))
	}
	var seconds []float64
	for i := range n + warmup {
		seconds = append(seconds, float64(i-warmup))
	}
	points := record.Points{Columns: []record.Column{{Name: "second", Values: seconds}}}
	for _, name := range slices.Sorted(maps.Keys(t)) {
		values := append([]float64{1e9, 0}, t[name]...)
		for len(values) < len(seconds) {
			values = append(values, gap)
		}
		points.Columns = append(points.Columns, record.Column{Name: name, Values: values})
	}
	return points
}

// with is the table and some more columns, or others in their place.
func (t table) with(others table) table {
	all := maps.Clone(t)
	maps.Copy(all, others)
	return all
}

// each is one value in each of so many seconds.
func each(seconds int, value float64) []float64 { return slices.Repeat([]float64{value}, seconds) }

func run() *record.Run { return &record.Run{Telemetry: &record.Telemetry{}} }

// input is a run with data on sda and sdb, and WAL on sdc.
func input(columns table) figure.Input {
	return figure.Input{
		Run: run(), Points: columns.points(),
		Environment: record.Environment{
			Server:  "PostgreSQL",
			Volumes: []record.Volume{{Role: "data", Path: "/data", Disks: []string{"sda", "sdb"}}, {Role: "wal", Path: "/wal", Disks: []string{"sdc"}}},
			Dataset: record.Dataset{Bytes: 21 << 30, SharedBuffers: 4 << 30, Memory: 16 << 30},
		},
		Inventory: &host.Inventory{},
	}
}

// committing adds pgbench's means of statements to a run.
func committing(in figure.Input) figure.Input {
	in.Run.Result.Statements = []record.StatementMean{{Statement: "BEGIN;", Mean: 1e5}, {Statement: "END;", Mean: 1.5e6}}
	return in
}

// of makes the figures, and the gaps by figure. No figure is both.
func of(t testing.TB, in figure.Input) (map[string]float64, map[string]string) {
	t.Helper()
	figures, gaps, _ := figure.Of(in)
	why := map[string]string{}
	for _, g := range gaps {
		if _, known := figures[g.What]; known || why[g.What] != "" || g.Why == "" {
			t.Errorf("%s has two gaps, or a value beside its gap, or no reason: %q", g.What, g.Why)
		}
		why[g.What] = g.Why
	}
	return figures, why
}

func near(t testing.TB, what string, got, want float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
		t.Errorf("%s is %.12g, want %.12g", what, got, want)
	}
}
