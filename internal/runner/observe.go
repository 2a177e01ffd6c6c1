package runner

import (
	"context"
	"fmt"
	"slices"

	"plinth/internal/driver"
	"plinth/internal/figure"
	"plinth/internal/limit"
	"plinth/internal/record"
	"plinth/internal/runner/engines"
	"plinth/internal/runner/observer"
	"plinth/internal/runner/stand"
	"plinth/internal/telemetry"
	"plinth/internal/telemetry/credit"
	"plinth/internal/telemetry/emulated"
	"plinth/internal/unit"
)

// lanesOf returns the telemetry lanes of this machine and of the server under load.
func (r *Runner) lanesOf(p *stand.Stand, meter *limit.Meter, read *observer.Observer) []telemetry.Lane {
	lanes := []telemetry.Lane{read.Machine(record.Devices(p.Described.AllVolumes()))}
	if devices := p.Watched(); len(devices) > 0 {
		lanes = append(lanes, emulated.Lane(devices))
	}
	if meter != nil {
		lanes = append(lanes, credit.Lane(meter))
	}
	if lane, there := engines.Of(r.experiment).Lane(p.Server); there {
		lanes = append(lanes, lane)
	}
	return lanes
}

// read starts reading the machine and its servers; with telemetry enabled for the environment,
// also once a second.
func (r *Runner) read(ctx context.Context, p *stand.Stand, beside map[string]int, meter *limit.Meter) *observer.Observer {
	o := observer.Options{Beside: beside, Idle: r.host.IdleThreads(), CPUs: r.book.summary.Machine.CPUs, Conditions: r.machine.conditions, Processes: r.machine.processes}
	for _, other := range r.stage.Stands {
		o.Foreign = o.Foreign || other.Described.Kind != "own" // it may run here while another server is driven
		if r.stage.SideBySide || other == p {                  // otherwise its server is down
			o.Servers = append(o.Servers, observer.Server{Environment: other.Environment.Name,
				Driven: other == p, Activity: other.Server.Activity})
		}
	}
	read := observer.Begin(ctx, o)
	if r.experiment.TelemetryOf(p.Environment) != "off" {
		read.Observe(ctx, r.lanes(p, meter, read)...)
	}
	return read
}

// observed aligns the readings with the seconds of the run, and computes the run's figures from
// both.
func (r *Runner) observed(read *observer.Observer, p *stand.Stand, run *record.Run, outcome *driver.Outcome) {
	read.AddColumns(&outcome.Points, outcome.Begin, run)
	in := figure.Input{Run: run, Points: outcome.Points, Environment: p.Described, Inventory: r.inventory}
	run.Figures, run.FigureGaps, run.Resources = figure.Of(in)
	run.Volumes, run.Bursts = figure.Volumes(in), figure.Bursts(in)
}

// takeInventory records the machine's inventory. Values that cannot be read are gaps; if the
// whole inventory fails, the experiment goes on with a warning.
func (r *Runner) takeInventory(ctx context.Context) error {
	inventory, err := r.machine.look(ctx, r.stage.Directories())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		r.book.summary.Warnings = append(r.book.summary.Warnings, record.Note{Rule: "no-inventory", Text: err.Error()})
		return nil
	}
	if before := r.tuning.Machine; before != nil { // the machine's own settings, not those of the last environment
		inventory.Sysctl, inventory.CPU, inventory.Memory, inventory.Nodes = before.Sysctl, before.CPU, before.Memory, before.Nodes
	}
	r.inventory = &inventory
	r.book.summary.Warnings = append(r.book.summary.Warnings, r.sharedMemory(inventory.Cgroup.Memory)...)
	return r.book.writer.WriteMachine(inventory)
}

// sharedMemory warns about emulated devices that share a memory limit with their servers: a
// process that waits for memory must then do the write-back itself.
func (r *Runner) sharedMemory(limit int64) []record.Note {
	emulated := slices.ContainsFunc(r.stage.Stands, func(p *stand.Stand) bool { return len(p.Emulated()) > 0 })
	if limit <= 0 || !emulated {
		return nil
	}
	return []record.Note{{
		Rule: "memory-shared",
		Text: fmt.Sprintf("servers and emulated devices share the memory limit of plinth's control group, %s: when the page cache fills it, each may wait for the other", unit.Size(limit)),
		Hint: "start plinth outside that limit, or give the servers limits: {memory: ...} well below it",
	}}
}
