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

// fill cuts what was read into seconds, and makes the figures of all of them. done are
// the columns of what stands for TPS: what a server did for everybody, because a load
// need not be in the database that plinth asks, less what plinth itself asked.
func (w *Watched) fill(c *telemetry.Collector, begin time.Time, length int, machine *host.Inventory, done []string) {
	seconds := make([]float64, length)
	for i := range seconds {
		seconds[i] = float64(i)
	}
	columns, told := c.Columns(begin, seconds)
	spread(told.Gaps, done)
	w.Run.Telemetry = &told
	w.Points.Columns = append(w.Points.Columns, record.Column{Name: "second", Values: seconds})
	if tps := doneBy(columns, done); tps != nil {
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

// doneBy is the first of the columns less the others; nil where one is not there.
func doneBy(columns []record.Column, done []string) []float64 {
	var tps []float64
	for i, name := range done {
		values := named(columns, name)
		switch {
		case values == nil:
			return nil // nothing was read of a server
		case i == 0:
			tps = slices.Clone(values)
		default:
			tps = less(tps, values)
		}
	}
	return tps
}

// spread says of each gap in what a server did that it is one of TPS.
func spread(gaps []record.TelemetryGap, done []string) {
	for i := range gaps {
		if slices.ContainsFunc(gaps[i].Columns, func(c string) bool { return covers(c, done) }) {
			gaps[i].Columns = slices.Insert(gaps[i].Columns, 0, "tps")
		}
	}
}

// covers says whether a gap's column, which may end in *, is one of some.
func covers(column string, names []string) bool {
	source, all := strings.CutSuffix(column, ".*")
	return slices.ContainsFunc(names, func(name string) bool {
		return name == column || all && strings.HasPrefix(name, source+".")
	})
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
