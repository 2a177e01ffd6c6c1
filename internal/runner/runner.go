// Package runner carries out an experiment: it brings the environments up, drives
// every run in its order, commits each to the record as it ends, and puts
// everything back on every path.
package runner

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"plinth/internal/driver"
	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/host/launch"
	"plinth/internal/host/watch"
	"plinth/internal/journal"
	"plinth/internal/record"
	"plinth/internal/runner/fault"
	"plinth/internal/runner/ground"
	"plinth/internal/runner/preview"
	"plinth/internal/runner/reader"
	"plinth/internal/runner/stand"
	"plinth/internal/runner/tuning"
	"plinth/internal/telemetry"
	"plinth/internal/tune"
)

// Options is what an experiment is carried out with.
type Options struct {
	Experiment *experiment.Experiment
	Warnings   []experiment.Warning // of loading it
	Source     string               // where the experiment came from: a path, or "built-in NAME"
	Sets       []string             // the --set values it was loaded with
	Command    []string             // how plinth was called, without secrets
	Directory  string               // in which it was called
	Announce   []string             // what is said of the experiment before it begins
	Version    string               // of plinth
	Store      string
	Resume     *record.Record    // the record to complete; nil makes a new one
	Opened     func(path string) // told where the record is as soon as it is there; may be nil

	// Overlooked are the rules of notes that no run and no block is given. Tests of what an
	// experiment does name the rules by which a busy machine voids runs; users have no such key.
	Overlooked []string

	// Hurry is closed when putting back must not wait for a server that does not
	// answer; nil never.
	Hurry <-chan struct{}
}

// Runner carries out one experiment.
type Runner struct {
	options    Options
	experiment *experiment.Experiment // as it is carried out, tuning worked out

	// What is known before anything is made.
	tuning  *tuning.Tuning
	preview preview.Preview
	driver  driver.Driver

	// What is written and shown.
	journal  *journal.Journal
	book     *book
	progress *progress
	discard  bool // the record holds nothing

	// What it stands on.
	machine  machine
	launcher launch.Launcher
	ground   *ground.Ground
	builder  *stand.Builder
	stage    *stand.Stage
	scratch  string // private directory for pipes

	inventory *host.Inventory // of the machine; nil where it could not be taken
	used      bool            // the datasets that were loaded first have been driven
	reloaded  time.Duration   // how long the datasets took that were loaded anew since the last run

	// Tests have others.
	putUp   func(context.Context, experiment.Environment) (*stand.Stand, error)
	lanes   func(*stand.Stand, *reader.Reader) []telemetry.Lane
	moments fault.Moments // of strikes
}

// machine is how this machine is read.
type machine struct {
	facts      func() (host.Facts, error)
	conditions func() (host.Conditions, error)
	processes  func() (*watch.Processes, error)
	look       tuning.Look
	clock      func() time.Duration // the wall clock's lead over the monotonic one
}

// Run carries out an experiment and returns the path of its record, which is
// there (and can be resumed) whenever the path is not empty, even with an error:
// an InputError (nothing was started), a MachineChangedError, a NoValidRunError,
// a PutBackError, or the context's own.
func Run(ctx context.Context, options Options, view View) (path string, err error) {
	r := newRunner(options, view)
	if err := r.ready(ctx); err != nil {
		return "", err
	}
	return r.run(ctx)
}

func newRunner(options Options, view View) *Runner {
	e := options.Experiment
	r := &Runner{
		options: options, experiment: e, tuning: &tuning.Tuning{Experiment: e}, ground: ground.New(tune.Kernel{}, nil),
		progress: &progress{view: view}, moments: fault.WholeSeconds,
		machine: machine{host.ReadFacts, host.ReadConditions, watch.ReadProcesses, host.ReadInventory, host.ClockOffset},
	}
	r.putUp = func(ctx context.Context, e experiment.Environment) (*stand.Stand, error) {
		return r.builder.PutUp(ctx, e)
	}
	r.lanes = r.lanesOf
	return r
}

// run carries the experiment out once everything has been checked.
func (r *Runner) run(ctx context.Context) (path string, err error) {
	if err := r.open(); err != nil {
		return "", err
	}
	defer func() { err = r.close(err) }()
	r.progress.view.Say(cmp.Or(r.experiment.Question, r.experiment.Name))
	for _, line := range slices.Concat(r.options.Announce, r.announceChanges()) {
		r.progress.view.Say(line)
	}
	for _, w := range r.options.Warnings {
		r.progress.view.Say("warning: " + w.Text)
	}
	err = r.prepare(ctx)
	if errors.As(err, new(*engine.MistakeError)) {
		err = &InputError{err}
	}
	switch {
	case err == nil:
		return r.book.writer.Path(), r.sequence(ctx)
	case r.options.Resume != nil || errors.Is(err, context.Canceled):
		return r.book.writer.Path(), err
	}
	// The environments could not be prepared: a new record would say nothing, so it is not
	// kept, unless the experiment was only interrupted and may go on.
	r.discard = true
	return "", err
}

// open makes the record, or opens the one to be completed, and the journal.
func (r *Runner) open() error {
	facts, err := r.machine.facts()
	if err != nil {
		return err
	}
	state, err := journal.StateDir()
	if err != nil {
		return &InputError{err}
	}
	if r.journal, err = journal.Open(state, r.label()); err != nil {
		return &InputError{err}
	}
	if r.book, err = r.newBook(facts); err != nil {
		return errors.Join(&InputError{err}, r.journal.Close())
	}
	if r.options.Opened != nil {
		r.options.Opened(r.book.writer.Path())
	}
	p := r.progress
	p.teller = &teller{write: r.book.writer.Tell, clock: time.Now, warn: p.view.Say}
	p.words, p.runTime = experiment.WordsOf(r.experiment.Engine), r.preview.RunTime
	p.before, p.planned = len(r.book.runs), r.book.dueRuns()
	for i := range r.book.runs {
		p.number = max(p.number, r.book.runs[i].Number)
	}
	return nil
}

// label says in the journal what the changes are made for.
func (r *Runner) label() string {
	if r.options.Resume != nil {
		return r.options.Resume.Path
	}
	return filepath.Join(r.options.Store, r.experiment.Name)
}

// Look is the preview of an experiment, and what the checks say that a run makes. Where
// they refuse it, the preview is whole all the same: somebody else's machine, or root,
// may carry it out. It has no runs where not even a preview can be made.
func Look(options Options) (preview.Preview, error) {
	r := newRunner(options, nil)
	err := r.ready(context.Background())
	return r.preview, err
}
