// Package runner carries out an experiment: it starts the environments, drives every run in
// order, commits each run to the record as it ends, and undoes every change, however the
// experiment ends.
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
	"plinth/internal/limit"
	"plinth/internal/record"
	"plinth/internal/runner/fault"
	"plinth/internal/runner/hosttuning"
	"plinth/internal/runner/observer"
	"plinth/internal/runner/preview"
	"plinth/internal/runner/stand"
	"plinth/internal/runner/tuning"
	"plinth/internal/telemetry"
	"plinth/internal/tune"
)

// Options holds the experiment and how it was invoked.
type Options struct {
	Experiment *experiment.Experiment
	Warnings   []experiment.Warning // from loading the experiment
	Source     string               // where the experiment came from: a path, or "built-in NAME"
	Sets       []string             // the --set values it was loaded with
	Command    []string             // plinth's command line, without secrets
	Directory  string               // the working directory
	Announce   []string             // lines to show before the experiment begins
	Version    string               // of plinth
	Store      string
	Resume     *record.Record    // the record to complete; nil creates a new one
	Opened     func(path string) // called with the record's path once it exists; may be nil

	// Overlooked lists the rules whose notes are dropped from all runs and blocks. Tests of an
	// experiment's behaviour list the rules by which a busy machine invalidates runs. An experiment
	// file has no such key.
	Overlooked []string

	// Hurry is closed when cleanup must not wait for a server that does not answer; nil means
	// never.
	Hurry <-chan struct{}
}

// Runner carries out one experiment.
type Runner struct {
	options    Options
	experiment *experiment.Experiment // as carried out, with the tuning resolved

	// Known before anything is created.
	tuning  *tuning.Tuning
	preview preview.Preview
	driver  driver.Driver

	// Written and shown.
	journal  *journal.Journal
	book     *book
	progress *progress
	discard  bool // the record is empty: remove it

	// The system underneath.
	machine  machine
	launcher launch.Launcher
	host     *hosttuning.Host
	builder  *stand.Builder
	stage    *stand.Stage
	scratch  string // private directory for pipes

	inventory *host.Inventory // of the machine; nil if it could not be read
	used      bool            // the initial datasets have been driven
	reloaded  time.Duration   // time spent reloading datasets since the last run

	// Replaced in tests.
	putUp   func(context.Context, experiment.Environment) (*stand.Stand, error)
	lanes   func(*stand.Stand, *limit.Meter, *observer.Observer) []telemetry.Lane
	moments fault.Moments // of injected faults
}

// machine holds the functions that read this machine.
type machine struct {
	facts      func() (host.Facts, error)
	conditions func() (host.Conditions, error)
	processes  func() (*watch.Processes, error)
	look       tuning.Look
	clock      func() time.Duration // wall clock minus monotonic clock
}

// Run carries out an experiment and returns the path of its record. A non-empty path means that
// the record exists, even with an error, and can be resumed if it is not complete. The error is
// an InputError (nothing was measured), a MachineChangedError, a NoValidRunError, a
// PutBackError, or the context's own.
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
		options: options, experiment: e, tuning: &tuning.Tuning{Experiment: e}, host: hosttuning.New(tune.Kernel{}, nil),
		progress: &progress{view: view}, moments: fault.WholeSeconds,
		machine: machine{host.ReadFacts, host.ReadConditions, watch.ReadProcesses, host.ReadInventory, host.ClockOffset},
	}
	r.putUp = func(ctx context.Context, e experiment.Environment) (*stand.Stand, error) {
		return r.builder.PutUp(ctx, e)
	}
	r.lanes = r.lanesOf
	return r
}

// run carries out the experiment after all checks have passed.
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
	// The environments could not be prepared. A new record would be empty, so it is removed,
	// unless the experiment was only interrupted and may be resumed.
	r.discard = true
	return "", err
}

// open creates the record, or reopens the one to be completed, and opens the journal.
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
	p.publisher = &publisher{write: r.book.writer.Tell, clock: time.Now, warn: p.view.Say}
	p.words, p.runTime = experiment.TermsOf(r.experiment.Engine), r.preview.RunTime
	p.before, p.planned = len(r.book.runs), r.book.dueRuns()
	for i := range r.book.runs {
		p.number = max(p.number, r.book.runs[i].Number)
	}
	return nil
}

// label returns the journal's description of the experiment.
func (r *Runner) label() string {
	if r.options.Resume != nil {
		return r.options.Resume.Path
	}
	return filepath.Join(r.options.Store, r.experiment.Name)
}

// Look returns the preview of an experiment and the error of the checks before a run. If a check
// fails, the preview is still complete: another machine, or root, may be able to run the
// experiment. The run count of the preview is zero if not even a preview can be computed.
func Look(options Options) (preview.Preview, error) {
	r := newRunner(options, nil)
	err := r.ready(context.Background())
	return r.preview, err
}
