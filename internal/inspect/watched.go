package inspect

import (
	"math"
	"slices"
	"strings"
	"time"

	"plinth/internal/figure"
	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/telemetry"
)

// Watched is what a target did while it was looked at, under whatever load it had.
// It has the form of a run that no load generator drove: its TPS are the commits
// that the server counted, and nothing is known of latencies.
type Watched struct {
	Run         record.Run // without a result
	Points      record.Points
	Environment record.Environment
	Asked       int // how many seconds were asked for; an interrupted watch has fewer
}

// What stands for TPS where nobody drives the server: what it committed in all its
// databases, because a load need not be in the one that plinth asks, without what
// plinth itself asked.
const (
	commits = "pg_stat_database.all.xact_commit"
	own     = "plinth.transactions"
)

// fill cuts what was read into seconds, and makes the figures of all of them.
func (w *Watched) fill(c *telemetry.Collector, begin time.Time, length int, machine *host.Inventory) {
	seconds := make([]float64, length)
	for i := range seconds {
		seconds[i] = float64(i)
	}
	columns, told := c.Columns(begin, seconds)
	spread(told.Gaps)
	w.Run.Telemetry = &told
	w.Points.Columns = append(w.Points.Columns, record.Column{Name: "second", Values: seconds})
	if tps := less(named(columns, commits), named(columns, own)); tps != nil {
		w.Points.Columns = append(w.Points.Columns, record.Column{Name: "tps", Values: tps})
	}
	w.Points.Columns = append(w.Points.Columns, columns...)
	w.Run.Figures, w.Run.FigureGaps, w.Run.Resources = figure.Of(figure.Input{
		Run: &w.Run, Points: w.Points, Environment: w.Environment, Inventory: machine,
	})
	// There is no load generator, and perhaps no server: that is no gap.
	w.Run.FigureGaps = slices.DeleteFunc(w.Run.FigureGaps, func(g record.Gap) bool {
		return strings.HasPrefix(g.Why, figure.NotRecorded)
	})
}

// spread says of each gap in the commits that it is one of TPS.
func spread(gaps []record.TelemetryGap) {
	made := []string{commits, own, "pg_stat_database.*", "plinth.*"}
	for i := range gaps {
		if slices.ContainsFunc(gaps[i].Columns, func(c string) bool { return slices.Contains(made, c) }) {
			gaps[i].Columns = slices.Insert(gaps[i].Columns, 0, "tps")
		}
	}
}

func named(columns []record.Column, name string) []float64 {
	for _, c := range columns {
		if c.Name == name {
			return c.Values
		}
	}
	return nil
}

// less is a without b, second by second. Servers before PostgreSQL 15 may tell of a
// transaction a second later than it is in b; then b is more than a, and what is
// owed is taken from the seconds after, so that the sum is right and none is below
// zero.
func less(a, b []float64) []float64 {
	if a == nil || b == nil {
		return nil // nothing was read of a server
	}
	values, owed := make([]float64, len(a)), 0.0
	for i := range a {
		values[i] = a[i] - b[i] + owed // a gap, where either is one
		if !math.IsNaN(values[i]) {
			owed = min(0, values[i])
			values[i] = max(0, values[i])
		}
	}
	return values
}
