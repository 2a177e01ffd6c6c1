package runner

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"sync"
	"time"

	"plinth/internal/driver"
	"plinth/internal/figure"
	"plinth/internal/record"
	"plinth/internal/runner/engines"
	"plinth/internal/telemetry"
	"plinth/internal/telemetry/emulated"
	"plinth/internal/telemetry/kernel"
	"plinth/internal/unit"
)

// observer reads the machine and the driven server once a second while a load goes
// on. Where the environment is not to be observed it does nothing.
type observer struct {
	collector *telemetry.Collector

	mu     sync.Mutex
	window time.Time // when the measured window begins; zero until the driver tells
}

func (r *Runner) observe(ctx context.Context, w *witness) *observer {
	if r.experiment.TelemetryOf(w.driven.environment) == "off" {
		return &observer{}
	}
	return &observer{collector: telemetry.Start(ctx, r.lanes(w)...)}
}

// begun is told when the window begins: seconds are then read at their bounds.
func (o *observer) begun(window time.Time) {
	if o.collector == nil {
		return
	}
	o.collector.Align(window)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.window = window
}

func (o *observer) stop() {
	if o.collector != nil {
		o.collector.Stop()
	}
}

// lay lays what was read beside points, whose window began at begin.
func (o *observer) lay(points *record.Points, begin time.Time, run *record.Run) {
	if o.collector == nil || len(points.Columns) == 0 {
		return
	}
	o.collector.Stop()
	columns, told := o.collector.Columns(begin, points.Columns[0].Values)
	points.Columns = append(points.Columns, columns...)
	run.Telemetry = &told
}

// remains is what was read of a run whose load generator has no points to tell: of a
// run that failed it is wanted most. There is nothing where the load had not begun.
func (o *observer) remains(warmup time.Duration, run *record.Run) record.Points {
	o.mu.Lock()
	window := o.window
	o.mu.Unlock()
	first := -math.Floor(warmup.Seconds())
	last := math.Floor(time.Since(window).Seconds()) - 1
	if window.IsZero() || last < first || last > longestRemains {
		return record.Points{}
	}
	var seconds []float64
	for s := first; s <= last; s++ {
		seconds = append(seconds, s)
	}
	points := record.Points{Columns: []record.Column{{Name: "second", Values: seconds}}}
	o.lay(&points, window, run)
	return points
}

// longestRemains is no limit for a run, only for what a clock that jumped may ask for.
const longestRemains = 30 * 24 * 3600

// lanesOf are the readers of this machine and of the server that is driven.
func (r *Runner) lanesOf(w *witness) []telemetry.Lane {
	owners := map[string]func() int{
		"server":    func() int { return w.before.servers[w.driven].PID },
		"generator": w.generator,
		"plinth":    os.Getpid,
	}
	for name, pid := range w.company {
		owners[name] = func() int { return pid }
	}
	lanes := []telemetry.Lane{kernel.Lane(kernel.Options{
		Root: "/", Disks: record.Devices(w.driven.described.AllVolumes()), Owners: owners, Idle: w.idle,
	})}
	if devices := w.driven.watched(); len(devices) > 0 {
		lanes = append(lanes, emulated.Lane(devices))
	}
	if lane, there := engines.Of(r.experiment).Lane(w.driven.server); there {
		lanes = append(lanes, lane)
	}
	return lanes
}

// observed lays what was read beside the seconds of the run, and makes the figures
// of the whole from both.
func (r *Runner) observed(o *observer, p *place, run *record.Run, outcome *driver.Outcome) {
	o.lay(&outcome.Points, outcome.Begin, run)
	run.Figures, run.FigureGaps, run.Resources = figure.Of(figure.Input{
		Run: run, Points: outcome.Points, Environment: p.described, Inventory: r.inventory,
	})
}

// takeInventory writes down what the machine is. What can't be read is a gap; none
// at all costs no experiment, only what is known of it.
func (r *Runner) takeInventory(ctx context.Context) error {
	inventory, err := r.look(ctx, r.stage.directories())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		r.summary.Warnings = append(r.summary.Warnings, record.Note{Rule: "no-inventory", Text: err.Error()})
		return nil
	}
	if before := r.tuning.Machine; before != nil { // what it is by itself, not what the last environment made of it
		inventory.Sysctl, inventory.CPU, inventory.Memory, inventory.Nodes = before.Sysctl, before.CPU, before.Memory, before.Nodes
	}
	r.inventory = &inventory
	r.summary.Warnings = append(r.summary.Warnings, r.sharedMemory(inventory.Cgroup.Memory)...)
	return r.writer.WriteMachine(inventory)
}

// sharedMemory warns of emulated devices that share a memory limit with the servers on
// them: pages that wait to be written are then written by who waits for memory, too.
func (r *Runner) sharedMemory(limit int64) []record.Note {
	emulated := slices.ContainsFunc(r.stage.places, func(p *place) bool { return len(p.emulated()) > 0 })
	if limit <= 0 || !emulated {
		return nil
	}
	return []record.Note{{
		Rule: "memory-shared",
		Text: fmt.Sprintf("servers and emulated devices share a memory limit of %s, that of plinth's own group: where the page cache fills it, each may wait for the other", unit.Size(limit)),
		Hint: "start plinth outside of that limit, or give the servers limits: {memory: ...} well below it",
	}}
}

// directories are the directories of the experiment's storage, by environment and role.
func (s *stage) directories() map[string]string {
	all := map[string]string{}
	for _, p := range s.places {
		for _, v := range p.described.AllVolumes() {
			all[p.environment.Name+" "+v.Role] = v.Path
		}
	}
	return all
}
