package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"plinth/internal/driver"
	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/runner/stand"
	"plinth/internal/validity"
)

// measure drives one run and commits it. A failed run is committed with its reason. An error
// means that the experiment cannot continue; if it was interrupted, the run is dropped.
func (r *Runner) measure(ctx context.Context, slot experiment.Slot, attempt int) error {
	id := record.RunID{Environment: slot.Environment, Cell: slot.Cell, Repeat: slot.Repeat, Attempt: attempt}
	r.progress.number++
	run := &record.Run{
		Schema: record.RunSchema, RunID: id, Number: r.progress.number, Position: slot.Position,
		Status: record.Valid, Started: time.Now().UTC(), Declared: r.book.declared,
	}
	run.Phases.Reload, r.reloaded = r.reloaded.Seconds(), 0
	pending, err := r.book.writer.Begin(id)
	if err != nil {
		return err
	}
	place := r.stage.Stand(slot.Environment)
	points, cause := r.phases(ctx, place, run, pending)
	if ctx.Err() != nil {
		r.progress.number--
		if err := pending.Drop(); err != nil {
			return fmt.Errorf("%w; cannot discard the unfinished run: %w", ctx.Err(), err)
		}
		return ctx.Err()
	}
	if cause != nil {
		run.Status = record.Failed
		run.Reasons = append(run.Reasons, cause.note())
	}
	r.compareBlock(run)
	run.Phases.Dead = r.dead(run)
	r.progress.lastEnd = time.Now()
	if err := r.book.commit(pending, run, points); err != nil {
		return err
	}
	r.progress.ended(run)
	if cause != nil {
		return r.revive(ctx, place)
	}
	return nil
}

// phases executes one run: reset, checkpoint, settle, device verification, load, checkpoint. It
// fills in run and returns the first failure.
func (r *Runner) phases(ctx context.Context, p *stand.Stand, run *record.Run, pending *record.Pending) (record.Points, *failure) {
	r.progress.at("preparing", run)
	switched, err := r.stage.Enter(ctx, p)
	run.Phases.Switch = switched.Seconds()
	run.Phases.Switched, r.stage.Switched = r.stage.Switched, nil
	if err != nil {
		return record.Points{}, failed("server", err)
	}
	before := []struct {
		seconds *float64
		do      func() error
	}{
		{&run.Phases.Reset, func() error { return r.reset(ctx, p) }},
		{&run.Phases.Checkpoint, func() error { return p.Checkpoint(ctx) }},
		{&run.Phases.Settle, func() error { return host.Sleep(ctx, r.experiment.Settle.Std()) }},
		{&run.Phases.Calibration, func() error { return p.Rehearse(ctx, run) }},
	}
	for _, phase := range before {
		began := time.Now()
		err := phase.do()
		*phase.seconds = time.Since(began).Seconds()
		if err != nil {
			return record.Points{}, r.blame(ctx, p, failed("prepare", err))
		}
	}
	points, cause := r.drive(ctx, p, run, pending)
	if cause != nil {
		return points, r.blame(ctx, p, cause)
	}
	if err := p.Check(ctx); err != nil {
		return points, r.blame(ctx, p, failed("server", err))
	}
	if err := r.stage.Host.InForce(ctx); err != nil {
		return points, failed("tuning", err)
	}
	r.progress.at("checkpointing", run)
	began := time.Now()
	err = p.Freely(ctx, func() error { return p.Server.Checkpoint(ctx) })
	run.Phases.CheckpointAfter = time.Since(began).Seconds()
	if err != nil {
		return points, r.blame(ctx, p, failed("server", err))
	}
	return points, nil
}

// reset resets the dataset. While it is reloaded, emulated devices add no delays.
func (r *Runner) reset(ctx context.Context, p *stand.Stand) error {
	do := func() error { return p.Server.Reset(ctx, r.experiment.Reset) }
	if r.experiment.Reset != "reload" {
		return do()
	}
	return p.Freely(ctx, do)
}

// drive runs the load generator and watches for clock steps meanwhile.
func (r *Runner) drive(ctx context.Context, p *stand.Stand, run *record.Run, pending *record.Pending) (record.Points, *failure) {
	target := p.Server.Target()
	job := driver.Job{
		Experiment: r.experiment, Workload: r.workload(run.Workload), Cell: run.Cell,
		Conninfo: target.Conninfo, Env: target.Env,
		Keep: pending, Scratch: r.scratch,
		Live: func(point record.Point) { r.progress.live(run, pending, point) },
	}
	r.progress.view.Status(r.progress.status(run))
	r.progress.at("driving", run)
	background, cause := r.startBackground(ctx, p)
	if cause != nil {
		return record.Points{}, cause
	}
	defer background.leave()
	read := r.read(ctx, p, background.processes(ctx, p), background.meter)
	defer read.Stop()
	job.Begun = func(window time.Time) {
		read.Begun(window)
		background.begun(window)
	}
	clock, cpu, began := r.machine.clock(), host.CPUTime(), time.Now()
	load, cancel := untilPaused(ctx, p.Server)
	outcome, err := r.driver.Drive(load, read.Launcher(r.launcher), job)
	cancel()
	run.Phases.Load = time.Since(began).Seconds()
	run.Phases.PlinthCPU = (host.CPUTime() - cpu).Seconds()
	var stepped *failure
	if step := clockStep(r.machine.clock()-clock, time.Since(began)); step != 0 {
		stepped = failed("clock", fmt.Errorf("the clock was stepped by %v during the run", step))
	}
	if err != nil {
		cause := failed("driver", err)
		if paused := context.Cause(load); paused != nil && !errors.Is(paused, context.Canceled) {
			cause = failed("server", paused)
		}
		return read.Remains(r.experiment.Warmup.Std(), run), cmp.Or(stepped, cause)
	}
	read.StopWatching()
	run.Driver, run.Result = outcome.Driver, outcome.Result
	if cause := background.end(ctx, run); cause != nil {
		return outcome.Points, cause
	}
	r.observed(read, p, run, outcome)
	mark(run, p.Described.Limits)
	run.Evidence = read.Evidence(ctx, outcome.Begin, outcome.End)
	r.judge(p, run, outcome)
	return outcome.Points, stepped
}

// judge decides whether a run's measurements are valid.
func (r *Runner) judge(p *stand.Stand, run *record.Run, outcome *driver.Outcome) {
	reasons, warnings := validity.Judge(validity.Case{
		Experiment: r.experiment, Environment: p.Described, Run: run, Points: outcome.Points,
	})
	run.Reasons = r.noted(append(outcome.Problems, reasons...))
	run.Warnings = r.noted(append(outcome.Warnings, warnings...))
	if len(run.Reasons) > 0 {
		run.Status = record.Invalid
	}
}

// noted returns the notes without those of overlooked rules.
func (r *Runner) noted(notes []record.Note) []record.Note {
	return slices.DeleteFunc(notes, func(n record.Note) bool { return slices.Contains(r.options.Overlooked, n.Rule) })
}

// compareBlock compares the runs of a block when run completes it, and stores the result in run.
func (r *Runner) compareBlock(run *record.Run) {
	runs := append(r.book.ledger.Attempt(record.Block{Cell: run.Cell, Repeat: run.Repeat}, run.Attempt), *run)
	valid := func(r record.Run) bool { return r.Status == record.Valid }
	if len(runs) < len(r.stage.Stands) || slices.ContainsFunc(runs, func(r record.Run) bool { return !valid(r) }) {
		return
	}
	beside := validity.Beside(r.experiment, r.book.environments, runs)
	beside.Reasons, beside.Warnings = r.noted(beside.Reasons), r.noted(beside.Warnings)
	if len(beside.Reasons)+len(beside.Warnings) > 0 {
		run.Beside = &beside
	}
}

// clockStep returns how far the wall clock moved against the monotonic one. It returns 0 within
// the tolerance: 20 ms for the reading itself plus 0.1 %, which covers NTP slewing (at most 500
// ppm).
func clockStep(moved, during time.Duration) time.Duration {
	allowed := 20*time.Millisecond + during/1000
	if moved > allowed || moved < -allowed {
		return moved
	}
	return 0
}

// dead returns the seconds since the previous run that belong neither to a declared phase nor
// to the load.
func (r *Runner) dead(run *record.Run) float64 {
	total := time.Since(r.progress.lastEnd).Seconds()
	p := run.Phases
	load := p.Load
	if window := run.Result.Duration; window > 0 {
		load = r.experiment.Warmup.Seconds() + window
	}
	return max(0, total-p.Reload-p.Switch-p.Reset-p.Checkpoint-p.Settle-p.Calibration-p.CheckpointAfter-load)
}

func (r *Runner) workload(name string) experiment.Workload {
	for _, w := range r.experiment.Workloads {
		if w.Name == name {
			return w
		}
	}
	return experiment.Workload{}
}
