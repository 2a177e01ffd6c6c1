package inspect

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"plinth/internal/engine/postgres"
	"plinth/internal/figure"
	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/telemetry"
	"plinth/internal/telemetry/kernel"
	pgstat "plinth/internal/telemetry/postgres"
)

// Watched is what a target did while it was looked at, under whatever load it had.
// It has the form of a run that no load generator drove: its TPS are the commits
// that the server counted, and nothing is known of latencies.
type Watched struct {
	Run         record.Run
	Points      record.Points
	Environment record.Environment
}

// What stands for TPS where nobody drives the server: what it committed, without
// what plinth itself asked.
const (
	commits = "pg_stat_database.xact_commit"
	own     = "plinth.transactions"
)

// Watch reads what was inspected once a second, for a while of whole seconds; tick
// is told how long it has. It costs the machine and the server what telemetry does.
func Watch(ctx context.Context, target Target, seen Inspection, length time.Duration, tick func(done time.Duration)) (*Watched, error) {
	lanes, err := lanesOf(target, seen)
	if err != nil {
		return nil, err
	}
	w := &Watched{Environment: environmentOf(seen)}
	w.Run = record.Run{Schema: record.RunSchema, Status: record.Valid, Started: time.Now().UTC().Truncate(time.Millisecond)}
	collector := telemetry.Start(ctx, lanes...)
	defer collector.Stop()
	begin := w.Run.Started.Add(200 * time.Millisecond) // the first reading is over by then
	collector.Align(begin)
	if err := sit(ctx, begin.Add(length+50*time.Millisecond), length, tick); err != nil {
		return nil, err
	}
	collector.Stop()
	w.fill(collector, begin, int(length/time.Second), &seen.Machine)
	return w, nil
}

// sit waits until the end, or until ctx does.
func sit(ctx context.Context, end time.Time, length time.Duration, tick func(time.Duration)) error {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	over := time.NewTimer(time.Until(end))
	defer over.Stop()
	for {
		tick(max(0, length-time.Until(end)))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-over.C:
			return nil
		case <-ticker.C:
		}
	}
}

// lanesOf are the readers of this machine, and of the server that is inspected.
func lanesOf(target Target, seen Inspection) ([]telemetry.Lane, error) {
	o := kernel.Options{
		Root: "/", Disks: record.Devices(environmentOf(seen).Volumes), Owners: map[string]func() int{"plinth": os.Getpid},
	}
	if seen.PID > 0 {
		o.Owners["server"] = func() int { return seen.PID }
	}
	lanes := []telemetry.Lane{kernel.Lane(o)}
	if seen.Server == nil {
		return lanes, nil
	}
	config, err := postgres.StatisticsOf(target.Server)
	if err != nil {
		return nil, err
	}
	s := pgstat.Options{Config: config}
	if seen.PID > 0 {
		s.Backend = host.ProcessTime
	}
	return append(lanes, pgstat.Lane(s)), nil
}

// environmentOf is what was inspected as an experiment would describe it.
func environmentOf(seen Inspection) record.Environment {
	var e record.Environment
	for _, p := range seen.Machine.Places {
		e.Volumes = append(e.Volumes, record.Volume{
			Role: p.Role, Path: p.Path, Filesystem: p.Filesystem, Options: p.Options, Source: p.Source,
			Size: p.Size, Free: p.Free, Device: p.Device(), Disks: p.Disks,
		})
	}
	if seen.Server == nil {
		return e
	}
	e.Server, e.Version, e.Transport = "PostgreSQL", seen.Server.Version, seen.Server.Transport
	if buffers, there := seen.Server.Setting("shared_buffers"); there {
		e.Dataset.SharedBuffers, _ = buffers.Bytes()
	}
	for _, d := range seen.Server.Databases {
		if d.Name == seen.Server.Database && d.Size > 0 {
			e.Dataset.Bytes = d.Size
		}
	}
	if seen.Here {
		e.Dataset.Memory = seen.Machine.Memory.Total
	}
	return e
}

// fill cuts what was read into seconds, and makes the figures of all of them.
func (w *Watched) fill(c *telemetry.Collector, begin time.Time, length int, machine *host.Inventory) {
	seconds := make([]float64, length)
	for i := range seconds {
		seconds[i] = float64(i)
	}
	columns, told := c.Columns(begin, seconds)
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

func named(columns []record.Column, name string) []float64 {
	for _, c := range columns {
		if c.Name == name {
			return c.Values
		}
	}
	return nil
}

// less is a without b, second by second. The server tells of a transaction up to a
// second later, so it may be a little below zero: then it is zero.
func less(a, b []float64) []float64 {
	if a == nil || b == nil {
		return nil // nothing was read of a server
	}
	values := make([]float64, len(a))
	for i := range a {
		values[i] = a[i] - b[i] // a gap, where either is one
		if values[i] < 0 {
			values[i] = 0
		}
	}
	return values
}
