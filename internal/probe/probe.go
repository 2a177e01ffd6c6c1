// Package probe measures with fio the properties of a disk that matter to a database, and
// derives a device model from them. Separately, it measures memory latency from each NUMA node
// of a machine.
//
// A probe consists of slices. Each slice measures all steps (a durable write, random reads at
// several queue depths, ...) briefly, in a new random order, so that drift of the disk affects
// all steps alike. Each slice is one sample for the confidence intervals.
package probe

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"plinth/internal/device"
	"plinth/internal/device/meaning"
	"plinth/internal/driver/fio"
	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/host/launch"
	"plinth/internal/journal"
	"plinth/internal/unit"
	"plinth/internal/volume"
)

// Schema is the schema of a Result as JSON.
const Schema = "plinth/probe/v1"

// Options says what to probe, and how.
type Options struct {
	Path string        // an existing directory, or a block device
	For  time.Duration // duration of the steps; Shortest or more
	Size unit.Size     // of the test file, or of the used part of a device; 0 for the default, at most the device's size
	// Erase allows writing to a block device, which destroys its contents.
	Erase bool
	// Sustained is the duration of the writes after the steps, which exhaust bursts and caches; 0
	// for none.
	Sustained time.Duration
	Expect    *device.Device // the device whose theoretical figures are compared; nil for none
	// Local is a directory on the local disk under a network or replicated volume: that disk is
	// probed, too, and compared. "" for none.
	Local string
	// Beside is a directory on any other disk, which is probed, too, and compared. Only without Local. ""
	// for none.
	Beside string
	// LocalModel is a model of that disk, measured earlier, in place of Local; nil for none.
	LocalModel *device.Device
	Name       string // of the resulting device; by default derived from the disk's name
	Seed       uint64

	Launcher launch.Launcher
	Journal  *journal.Journal
	// Tell is called a few times a second with the current step, its details, and the time left.
	Tell func(step, detail string, left time.Duration)
	// Say is called with messages that the user must see beforehand.
	Say func(text string)

	only []Step // the steps of a test; nil for all
}

// DefaultSize is the size of the test file by default.
const DefaultSize = unit.GiB

// sustainedSize is the default size with Sustained, large enough to exhaust caches.
const sustainedSize = 4 * unit.GiB

// LeastSize is the minimum size: with less, requests would hit the same blocks too often.
const LeastSize = 16 * unit.MiB

// TargetError says why a target cannot be probed, before the probe starts: the kind of target, or
// a missing fio.
type TargetError struct{ Err error }

func (e *TargetError) Error() string { return e.Err.Error() }
func (e *TargetError) Unwrap() error { return e.Err }

// Run probes a disk. It records what it creates in o.Journal, which the caller must undo on all
// paths. The error is a *TargetError, describes a problem with the machine or fio, or is ctx's.
func Run(ctx context.Context, o Options) (*Result, error) {
	p, err := newProbe(o)
	if err == nil && (o.Local != "" || o.Beside != "") {
		p.other, err = p.otherDisk()
	}
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
	for _, each := range p.all() {
		each.program = program
	}
	defer p.release()
	if err := p.prepare(ctx); err != nil {
		return nil, err
	}
	return p.run(ctx)
}

// probe is the state of the probe of one disk.
type probe struct {
	Options
	target  Target
	steps   []Step
	plan    plan
	program fio.Program
	path    string    // the file or device that fio uses
	scratch string    // for fio's logs: in memory if possible
	claimed io.Closer // a block device that is being erased
	machine host.Inventory

	other    *probe // of the local disk under a volume, or of the disk beside it; nil for none
	of       string // "local-" or "beside-" for that disk, otherwise "": before the names of steps and logs
	measured map[string][]fio.Result
	alone    []moment // in which a step with one request at a time was running
}

// newProbe examines the target of a probe, without changing anything.
func newProbe(o Options) (*probe, error) {
	target, err := look(o)
	if err != nil {
		return nil, err
	}
	steps := stepsFor(target)
	if o.only != nil {
		steps = o.only
	}
	return &probe{Options: o, target: target, steps: steps, plan: newPlan(len(steps), o.For), measured: map[string][]fio.Result{}}, nil
}

// all returns the probe, and that of the other disk if there is one.
func (p *probe) all() []*probe {
	if p.other == nil {
		return []*probe{p}
	}
	return []*probe{p, p.other}
}

// prepare creates everything that fio needs.
func (p *probe) prepare(ctx context.Context) error {
	machine, err := host.ReadInventory(ctx, nil)
	if err != nil {
		return err
	}
	scratch, err := volume.PipeDir(p.Journal)
	if err != nil {
		return err
	}
	for _, each := range p.all() {
		each.machine, each.scratch = machine, scratch
		if err := each.open(ctx, p.filling(time.Now())); err != nil {
			return err
		}
	}
	return nil
}

// open creates the test file, or claims the block device.
func (p *probe) open(ctx context.Context, report func(share float64)) (err error) {
	p.path = p.target.Path
	switch {
	case p.target.Raw && !p.target.ReadOnly:
		err = p.erase(ctx)
	case !p.target.Raw:
		p.path, err = testFile(ctx, p.Options, p.target, report)
	}
	// ZFS accepts O_DIRECT, and serves it from its own cache (until OpenZFS 2.3).
	p.target.Direct = takesDirect(p.path) && p.target.Filesystem != "zfs"
	return err
}

func (p *probe) release() {
	if p.claimed != nil {
		p.claimed.Close()
	}
}

// filling returns a function that reports the progress of a test file, and the total time left at
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

// length returns the duration of the steps, on all disks, and of sustained loads.
func (p *probe) length() time.Duration {
	return time.Duration(p.plan.slices*len(p.all()))*p.plan.slice(len(p.steps)) + p.Sustained
}

func (p *probe) run(ctx context.Context) (*Result, error) {
	r := &Result{Schema: Schema, Taken: time.Now().UTC().Truncate(time.Second), Program: "fio " + p.program.Version,
		Target: p.target, Machine: p.machine.Facts, Slices: p.plan.slices, Slice: unit.Duration(p.plan.step), Seed: p.Seed}
	others := watchBeside(p.all(), p.plan.step)
	defer others.host.Stop()
	if err := p.measure(ctx); err != nil {
		return nil, err
	}
	seen := others.seen()
	r.Steps = p.measurements()
	var err error
	if r.Sustained, err = p.sustain(ctx); err != nil {
		return nil, err
	}
	if r.Device = r.model(p.Name); r.Device != nil {
		r.Device.Disk, _ = volume.DiskAt(p.target.Path)
	}
	r.Local, r.Beside = p.compare(r)
	r.Job = fio.JobFile(p.fioTarget(p.Seed), p.wholeJob())
	r.Theory = theory(r, p.Expect)
	r.Meaning = meaning.Of(r.figures())
	r.Notes = append([]Note{}, slices.Concat(r.Local.notes(r), p.besideNotes(), p.notes(), r.sizeNotes(p.machine.Virtualisation), seen.notes(), r.notes(p.Expect))...)
	return r, nil
}

// erase claims a block device for writing, and says what will be lost before anything is.
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
		p.Say(fmt.Sprintf("erasing %s (%s): no known filesystem or other signature found", p.target.Path, p.target.whole))
	}
	for _, what := range lost {
		p.Say("erasing " + what)
	}
	return nil
}
