package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"plinth/internal/driver"
	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/runner/agent"
	"plinth/internal/runner/site"
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
	points, cause := r.phases(ctx, run, pending)
	stop := ended(ctx, cause)
	if stop == nil && errors.As(cause, new(*site.InputError)) && !r.drivenBefore(slot.Environment) {
		stop = &site.InputError{Err: cause}
	}
	if stop != nil {
		r.progress.number--
		if err := pending.Drop(); err != nil {
			return fmt.Errorf("%w; cannot discard the unfinished run: %w", stop, err)
		}
		return stop
	}
	if cause != nil {
		run.Status = record.Failed
		run.Reasons = append(run.Reasons, noteOf(cause))
	}
	r.compareBlock(run)
	run.Phases.Dead = r.dead(run)
	r.progress.lastEnd = time.Now()
	if err := r.book.commit(pending, run, points); err != nil {
		return err
	}
	r.progress.ended(run)
	if cause != nil {
		return r.site.Revive(ctx, run.Environment)
	}
	return nil
}

// drivenBefore reports whether an environment has had a valid run, so that its load generators can reach
// it.
func (r *Runner) drivenBefore(environment string) bool {
	return slices.ContainsFunc(r.book.runs, func(run record.Run) bool { return run.Environment == environment && run.Status == record.Valid })
}

// ended returns why the experiment cannot continue: it was interrupted, or the connection to a machine was
// lost, for which the environment is not to blame.
func ended(ctx context.Context, cause error) error {
	if lost := new(agent.LostError); ctx.Err() == nil && errors.As(cause, &lost) {
		return lost
	}
	return ctx.Err()
}

// noteOf returns the cause of a failed run as a note.
func noteOf(cause error) record.Note {
	if failure := new(site.Failure); errors.As(cause, &failure) {
		return failure.Note()
	}
	return (&site.Failure{Rule: "driver", Err: cause}).Note()
}

// phases executes one run: its environment is made ready, the load is driven, and the environment
// is checked. It fills in run and returns the cause of a failure.
func (r *Runner) phases(ctx context.Context, run *record.Run, pending *record.Pending) (record.Points, error) {
	r.progress.at("preparing", run)
	ready, err := r.site.Ready(ctx, site.Order{Environment: run.Environment})
	reload := run.Phases.Reload
	run.Phases, run.Calibrations = ready.Phases, ready.Calibrations
	run.Phases.Reload = reload
	if err != nil {
		return record.Points{}, err
	}
	outcome, driven := r.drive(ctx, ready.Target, run, pending)
	if ctx.Err() != nil {
		return record.Points{}, ctx.Err()
	}
	r.progress.at("checkpointing", run)
	if driven != nil {
		account, err := r.site.End(ctx, site.Ending{Failed: true})
		run.Telemetry, run.Phases.PlinthCPU = account.Telemetry, account.PlinthCPU
		run.Warnings = r.noted(account.Warnings)
		return account.Remains, cmp.Or(err, driven)
	}
	run.Driver, run.Result = outcome.Driver, outcome.Result
	account, err := r.site.End(ctx, site.Ending{Begin: outcome.Begin, End: outcome.End, Seconds: seconds(outcome.Points)})
	run.Phases.PlinthCPU, run.Phases.CheckpointAfter = account.PlinthCPU, account.CheckpointAfter
	if account.Calibrations != nil {
		run.Calibrations = account.Calibrations
	}
	if account.Evidence == nil {
		return outcome.Points, cmp.Or(err, error(&site.Failure{Rule: "server", Err: errors.New("the machine returned no evidence")}))
	}
	r.observed(run, &outcome.Points, account)
	keepRelations(pending, &account)
	r.judge(run, outcome, account)
	return outcome.Points, err
}

// keepRelations keeps with a run what its server said of its tables and indexes. The numbers of the run do not
// depend on it.
func keepRelations(pending *record.Pending, account *site.Account) {
	if account.Relations == nil {
		return
	}
	if err := pending.KeepRelations(*account.Relations); err != nil {
		account.Warnings = append(account.Warnings, site.NoRelations(err))
	}
}

func seconds(points record.Points) []float64 {
	if len(points.Columns) == 0 {
		return nil
	}
	return points.Columns[0].Values
}

// drive runs the load generator.
func (r *Runner) drive(ctx context.Context, target engine.Target, run *record.Run, pending *record.Pending) (*driver.Outcome, error) {
	job := driver.Job{
		Workload: r.workload(run.Workload), Cell: run.Cell, Conninfo: target.Conninfo, Env: target.Env, Keep: pending,
		Live:  func(point record.Point) { r.progress.live(run, pending, point) },
		Begun: r.site.Begun,
	}
	r.progress.view.Status(r.progress.status(run))
	r.progress.at("driving", run)
	began := time.Now()
	outcome, err := r.watched(ctx, func(load context.Context) (*driver.Outcome, error) { return r.site.Drive(load, job) })
	run.Phases.Load = time.Since(began).Seconds()
	return outcome, err
}

// watched drives a load until the server stops answering it.
func (r *Runner) watched(ctx context.Context, drive func(context.Context) (*driver.Outcome, error)) (*driver.Outcome, error) {
	load, cancel := context.WithCancel(ctx)
	stopped := make(chan error, 1)
	go func() {
		err := r.site.Watch(load)
		if err != nil {
			cancel()
		}
		stopped <- err
	}()
	outcome, failure := drive(load)
	cancel()
	stop := <-stopped
	switch {
	case failure == nil:
		return outcome, nil
	case stop != nil:
		return nil, failed("server", stop)
	}
	return nil, failed("driver", failure)
}

// failed returns an error as a failure of a run, with a rule unless it has one.
func failed(rule string, err error) error {
	if errors.As(err, new(*site.Failure)) {
		return err
	}
	return &site.Failure{Rule: rule, Err: err}
}

// judge decides whether a run's measurements are valid.
func (r *Runner) judge(run *record.Run, outcome *driver.Outcome, account site.Account) {
	reasons, warnings := validity.Judge(validity.Case{
		Experiment: r.experiment, Environment: r.book.environments[run.Environment], Run: run, Points: outcome.Points,
	})
	run.Reasons = r.noted(slices.Concat(outcome.Problems, account.Problems, reasons))
	run.Warnings = r.noted(slices.Concat(outcome.Warnings, account.Warnings, warnings))
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
	if len(runs) < len(r.experiment.Environments) || slices.ContainsFunc(runs, func(r record.Run) bool { return !valid(r) }) {
		return
	}
	beside := validity.Beside(r.experiment, r.book.environments, runs)
	beside.Reasons, beside.Warnings = r.noted(beside.Reasons), r.noted(beside.Warnings)
	if len(beside.Reasons)+len(beside.Warnings) > 0 {
		run.Beside = &beside
	}
}

// dead returns the seconds since the previous run that belong neither to a declared phase nor
// to the load. The run's own Dead is not set yet.
func (r *Runner) dead(run *record.Run) float64 {
	return max(0, time.Since(r.progress.lastEnd).Seconds()-run.Took(r.experiment.Warmup.Std()))
}

func (r *Runner) workload(name string) experiment.Workload {
	for _, w := range r.experiment.Workloads {
		if w.Name == name {
			return w
		}
	}
	return experiment.Workload{}
}
