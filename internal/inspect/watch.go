package inspect

import (
	"context"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"plinth/internal/figure"
	"plinth/internal/figure/window"
	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/telemetry"
	"plinth/internal/telemetry/kernel"
)

// lead is the time before the first second of a watch: the inspection's session and the first
// queries are transactions too, which the server may report up to a second later.
const lead = 1200 * time.Millisecond

// Watch reads an inspected target once a second, for length, in whole seconds; it calls tick with
// the time passed. It costs the machine and the server as much as telemetry does. If ctx ends
// early, it returns ctx's error, and the whole seconds read until then; nil if there are none.
func Watch(ctx context.Context, target Target, seen Inspection, length time.Duration, tick func(done time.Duration)) (*Watched, error) {
	lanes, err := lanesOf(target, seen)
	if err != nil {
		return nil, err
	}
	begin := time.Now().Add(lead).UTC().Truncate(time.Millisecond)
	// The second in which ctx ends is still read.
	collector := telemetry.Start(context.WithoutCancel(ctx), lanes...)
	defer collector.Stop()
	collector.Align(begin)
	err = sit(ctx, begin.Add(length+50*time.Millisecond), length, tick)
	whole := int(min(length, time.Since(begin)) / time.Second)
	collector.Stop()
	if whole < 1 {
		return nil, err
	}
	w := &Watched{
		Run:         record.Run{Schema: record.RunSchema, Status: record.Valid, Started: begin},
		Environment: environmentOf(target, seen), Asked: int(length / time.Second),
	}
	w.fill(collector, begin, whole, &seen.Machine, target.engine().done)
	return w, err
}

// sit waits until end, or until ctx is done.
func sit(ctx context.Context, end time.Time, length time.Duration, tick func(time.Duration)) error {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	over := time.NewTimer(time.Until(end))
	defer over.Stop()
	for {
		tick(min(length, max(0, length-time.Until(end))))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-over.C:
			return nil
		case <-ticker.C:
		}
	}
}

// lanesOf returns the readers of this machine, and of the inspected server.
func lanesOf(target Target, seen Inspection) ([]telemetry.Lane, error) {
	o := kernel.Options{
		Root: "/", Disks: record.Devices(environmentOf(target, seen).Volumes), Owners: map[string]func() int{"plinth": os.Getpid},
		Apart: target.Server != "",
	}
	if seen.PID > 0 {
		o.Owners["server"] = func() int { return seen.PID }
	}
	lanes := []telemetry.Lane{kernel.Lane(o)}
	if target.Server == "" {
		return lanes, nil
	}
	lane, err := target.engine().lane(target.Server, seen)
	if err != nil {
		return nil, err
	}
	return append(lanes, lane), nil
}

// environmentOf describes the inspected target as an environment of an experiment.
func environmentOf(target Target, seen Inspection) record.Environment {
	var e record.Environment
	for _, p := range seen.Machine.Places {
		e.Volumes = append(e.Volumes, record.Volume{
			Role: p.Role, Path: p.Path, Filesystem: p.Filesystem, Options: p.Options, Source: p.Source,
			Size: p.Size, Free: p.Free, Device: p.Device(), Disks: p.Disks, Remote: p.Remote,
		})
	}
	if !seen.OfServer() {
		return e
	}
	target.engine().describe(seen, &e)
	if seen.Here {
		e.Dataset.Memory = seen.Machine.Memory.Total
	}
	return e
}

// Watched holds the telemetry of a target during a watch, under its existing load. It has the
// form of a run without a load generator: its TPS are the commits that the server counted, and
// latencies are unknown.
type Watched struct {
	Run         record.Run // without a result
	Points      record.Points
	Environment record.Environment
	Asked       int // requested seconds; an interrupted watch has fewer
}

// fill cuts the readings into seconds, and computes the figures over all of them. done lists the
// columns for TPS: the work of the server for all databases, because a load need not be in the
// one that plinth queries, minus plinth's own.
func (w *Watched) fill(c *telemetry.Collector, begin time.Time, length int, machine *host.Inventory, done []string) {
	seconds := make([]float64, length)
	for i := range seconds {
		seconds[i] = float64(i)
	}
	columns, read := c.Columns(begin, seconds)
	spread(read.Gaps, done)
	w.Run.Telemetry = &read
	w.Points.Columns = append(w.Points.Columns, record.Column{Name: "second", Values: seconds})
	if tps := doneBy(columns, done); tps != nil {
		w.Points.Columns = append(w.Points.Columns, record.Column{Name: "tps", Values: tps})
	}
	w.Points.Columns = append(w.Points.Columns, columns...)
	w.Run.Figures, w.Run.FigureGaps, w.Run.Resources = figure.Of(figure.Input{
		Run: &w.Run, Points: w.Points, Environment: w.Environment, Inventory: machine,
	})
	// A missing load generator, or server, is not a gap.
	w.Run.FigureGaps = slices.DeleteFunc(w.Run.FigureGaps, func(g record.Gap) bool {
		return strings.HasPrefix(g.Why, window.NotRecorded)
	})
}

// doneBy returns the first of the columns minus the others; nil if one is missing.
func doneBy(columns []record.Column, done []string) []float64 {
	var tps []float64
	for i, name := range done {
		values := named(columns, name)
		switch {
		case values == nil:
			return nil // nothing was read from a server
		case i == 0:
			tps = slices.Clone(values)
		default:
			tps = less(tps, values)
		}
	}
	return tps
}

// spread adds tps to each gap in the columns from which it is computed.
func spread(gaps []record.TelemetryGap, done []string) {
	for i := range gaps {
		if slices.ContainsFunc(gaps[i].Columns, func(c string) bool { return covers(c, done) }) {
			gaps[i].Columns = slices.Insert(gaps[i].Columns, 0, "tps")
		}
	}
}

// covers reports whether a gap's column, which may end in *, includes one of the names.
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

// less returns a minus b, second by second. Servers before PostgreSQL 15 may report a transaction
// a second after it is in b; then b exceeds a, and less subtracts the difference from the
// following seconds, so that the sum is right and no value is negative.
func less(a, b []float64) []float64 {
	values, owed := make([]float64, len(a)), 0.0
	for i := range a {
		values[i] = a[i] - b[i] + owed // NaN (a gap) if either is
		if !math.IsNaN(values[i]) {
			owed = min(0, values[i])
			values[i] = max(0, values[i])
		}
	}
	return values
}
