package probe

import (
	"context"
	"fmt"
	"io"
	"time"

	"plinth/internal/driver/fio"
	"plinth/internal/host"
	"plinth/internal/unit"
	"plinth/internal/volume"
)

// TargetError says why a target cannot be probed, before anything was begun: what it
// is, or that fio is missing.
type TargetError struct{ Err error }

func (e *TargetError) Error() string { return e.Err.Error() }
func (e *TargetError) Unwrap() error { return e.Err }

// Run probes a disk. What it makes is in o.Journal, which the caller puts back, on
// every path. The error is a TargetError, says what is wrong with the machine or
// fio, or is ctx's.
func Run(ctx context.Context, o Options) (*Result, error) {
	target, err := look(o)
	if err != nil {
		return nil, &TargetError{err}
	}
	program, err := fio.Find(ctx, o.Launcher)
	if err != nil && ctx.Err() == nil {
		return nil, &TargetError{err}
	}
	if err != nil {
		return nil, err
	}
	p := &probe{Options: o, target: target, program: program, plan: newPlan(len(stepsFor(target)), o.For)}
	defer p.release()
	if err := p.prepare(ctx); err != nil {
		return nil, err
	}
	return p.run(ctx)
}

// probe is one probe as it goes on.
type probe struct {
	Options
	target  Target
	program fio.Program
	plan    plan
	path    string    // of what fio works on
	scratch string    // for fio's logs: in memory where that can be had
	claimed io.Closer // a block device that is being erased
	machine host.Inventory
}

// prepare makes all that fio needs.
func (p *probe) prepare(ctx context.Context) (err error) {
	if p.machine, err = host.ReadInventory(ctx, nil); err != nil {
		return err
	}
	if p.scratch, err = volume.PipeDir(p.Journal); err != nil {
		return err
	}
	p.path = p.target.Path
	switch {
	case p.target.Raw && !p.target.ReadOnly:
		err = p.erase(ctx)
	case !p.target.Raw:
		p.path, err = testFile(ctx, p.Options, p.target, p.filling(time.Now()))
	}
	p.target.Direct = takesDirect(p.path)
	return err
}

func (p *probe) release() {
	if p.claimed != nil {
		p.claimed.Close()
	}
}

// filling tells how far the test file is, and how long everything will take at
// that pace.
func (p *probe) filling(begin time.Time) func(share float64) {
	return func(share float64) {
		left := p.length()
		if share > 0 {
			passed := time.Since(begin)
			left += time.Duration(float64(passed)/share) - passed
		}
		p.Tell("writing the test file", fmt.Sprintf("%.0f %%", 100*share), left)
	}
}

// length is how long steps and sustained loads take.
func (p *probe) length() time.Duration {
	return time.Duration(p.plan.slices)*p.plan.slice(len(stepsFor(p.target))) + p.Sustained
}

func (p *probe) run(ctx context.Context) (*Result, error) {
	r := &Result{Schema: Schema, Taken: time.Now().UTC().Truncate(time.Second), Program: "fio " + p.program.Version,
		Target: p.target, Machine: p.machine.Facts, Slices: p.plan.slices, Slice: unit.Duration(p.plan.step), Seed: p.Seed}
	watch := startWatch(p.target.Device)
	defer watch.stop()
	measured, err := p.measure(ctx)
	if err != nil {
		return nil, err
	}
	seen := watch.seen(measured)
	for _, s := range stepsFor(p.target) {
		r.Steps = append(r.Steps, newMeasurement(s, measured[s.Name], p.Seed))
	}
	if r.Sustained, err = p.sustain(ctx); err != nil {
		return nil, err
	}
	r.Device = r.model(p.Name)
	r.Theory = theory(r, p.Expect)
	r.Meaning = meaning(r)
	r.Notes = append(p.notes(), append(seen.notes(), r.notes(p.Expect)...)...)
	return r, nil
}
