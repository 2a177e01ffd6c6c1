package observer

import (
	"context"
	"math"
	"os"
	"time"

	"plinth/internal/record"
	"plinth/internal/telemetry"
	"plinth/internal/telemetry/kernel"
)

// Observe reads the lanes once a second until Stop.
func (r *Observer) Observe(ctx context.Context, lanes ...telemetry.Lane) {
	r.collector = telemetry.Start(ctx, lanes...)
}

// Machine returns the lane of this machine: its disks, by device name, and the CPU time of the
// server, the load generator and the processes beside them.
func (r *Observer) Machine(disks []string) telemetry.Lane {
	owners := map[string]func() int{"server": r.Server, "generator": r.Generator, "plinth": os.Getpid}
	for name, pid := range r.options.Beside {
		owners[name] = func() int { return pid }
	}
	return kernel.Lane(kernel.Options{Root: "/", Disks: disks, Owners: owners, Apart: r.options.Apart, Idle: r.options.Idle})
}

// Begun aligns the readings with the seconds of the window. It is called when the window
// begins.
func (r *Observer) Begun(window time.Time) {
	if r.collector == nil {
		return
	}
	r.collector.Align(window)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.window = window
}

// Columns returns the telemetry for the seconds of a window that began at begin; nil without
// telemetry.
func (r *Observer) Columns(begin time.Time, seconds []float64) ([]record.Column, *record.Telemetry) {
	if r.collector == nil || len(seconds) == 0 {
		return nil, nil
	}
	r.collector.Stop()
	columns, told := r.collector.Columns(begin, seconds)
	return columns, &told
}

// Remains returns the telemetry of a run whose load generator returned no points, which helps
// most to explain a failure. It is empty if the window had not begun.
func (r *Observer) Remains(warmup time.Duration) (record.Points, *record.Telemetry) {
	r.mu.Lock()
	window := r.window
	r.mu.Unlock()
	first := -math.Floor(warmup.Seconds())
	last := math.Floor(time.Since(window).Seconds()) - 1
	if window.IsZero() || last < first || last > longestRemains {
		return record.Points{}, nil
	}
	var seconds []float64
	for s := first; s <= last; s++ {
		seconds = append(seconds, s)
	}
	columns, telemetry := r.Columns(window, seconds)
	return record.Points{Columns: append([]record.Column{{Name: "second", Values: seconds}}, columns...)}, telemetry
}

// longestRemains, in seconds, is not a limit for runs; it rejects the effects of a clock jump.
const longestRemains = 30 * 24 * 3600
