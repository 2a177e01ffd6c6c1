// Package probe measures what a database needs to know of a disk, with fio, and
// says which device model that makes; and, apart from that, how long memory takes
// from each node of a machine.
//
// A probe is made of slices. In each of them all steps (a durable write, random
// reads at some queue depths, ...) are measured for a moment, in an order drawn
// anew, so that a disk that drifts is unfair to none. The slices are the units of
// the intervals.
package probe

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"plinth/internal/device"
	"plinth/internal/driver/fio"
	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/host/launch"
	"plinth/internal/host/watch"
	"plinth/internal/journal"
	"plinth/internal/unit"
	"plinth/internal/volume"
)

// Schema is the schema of a Result as JSON.
const Schema = "plinth/probe/v1"

// Options is what is probed, and how.
type Options struct {
	Path string        // a directory that is there, or a block device
	For  time.Duration // how long the steps are measured; Shortest or more
	Size unit.Size     // of the test file, or the part of a device that is used; 0 for DefaultSize or what there is
	// Erase allows to write to a block device, which destroys what is on it.
	Erase bool
	// Sustained is for how long writes go on after the steps, until bursts and caches
	// are exhausted; 0 for not at all.
	Sustained time.Duration
	Expect    *device.Device // what theory says; nil for none
	Name      string         // of the device that comes out; made from the disk's name unless said
	Seed      uint64

	Launcher launch.Launcher
	Journal  *journal.Journal
	// Tell is told what goes on, more of it in detail, and how long all of it still
	// takes; a few times a second.
	Tell func(step, detail string, left time.Duration)
	// Say is told what must be known before it happens.
	Say func(text string)
}

// DefaultSize is how much of a disk is used unless said.
const DefaultSize = unit.GiB

// sustainedSize is that of a probe that wants to see the end of caches.
const sustainedSize = 4 * unit.GiB

// LeastSize is the least that makes sense: of less, much is the same block again.
const LeastSize = 16 * unit.MiB

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
	others := &beside{device: p.target.Device, begin: time.Now(), host: watch.New(os.Getpid(), pace)}
	others.bytes, others.known = diskBytes(p.target.Device)
	defer others.host.Stop()
	measured, err := p.measure(ctx)
	if err != nil {
		return nil, err
	}
	seen := others.seen(measured)
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

// erase takes a block device that is to be written to, and says what is lost before
// any of it is.
func (p *probe) erase(ctx context.Context) (err error) {
	if p.claimed, err = claim(p.target.Path); err != nil {
		return &TargetError{err}
	}
	disk := experiment.Disk{Device: p.target.Path, Erase: true}
	lost, err := volume.Erases(ctx, p.Launcher, experiment.Part{Role: "probe", Volume: experiment.Volume{Disk: disk}})
	if err != nil {
		return err
	}
	if len(lost) == 0 {
		p.Say(fmt.Sprintf("erasing %s (%s): nothing of a known kind is on it", p.target.Path, p.target.whole))
	}
	for _, what := range lost {
		p.Say("erasing " + what)
	}
	return nil
}
