package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"plinth/internal/driver"
	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/journal"
	"plinth/internal/record"
	"plinth/internal/runner/engines"
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
	experiment *experiment.Experiment
	options    Options
	preview    preview.Preview
	launcher   host.Launcher
	driver     driver.Driver
	journal    *journal.Journal
	book       *book
	progress   *progress
	stage      *stand.Stage
	putUp      func(context.Context, experiment.Environment) (*stand.Stand, error) // lays out storage and makes a server, not yet started
	facts      func() (host.Facts, error)
	conditions func() (host.Conditions, error)
	processes  func() (*host.Processes, error)
	look       func(ctx context.Context, places map[string]string) (host.Inventory, error)
	lanes      func(*stand.Stand, *reader.Reader) []telemetry.Lane // what reads the machine and the driven server
	clock      func() time.Duration                                // the wall clock's lead over the monotonic one
	moments    fault.Moments                                       // of strikes
	inventory  *host.Inventory                                     // of the machine; nil where it could not be taken

	tuning *tuning.Tuning
	ground *ground.Ground

	builder  *stand.Builder
	used     bool          // the datasets that were loaded first have been driven
	reloaded time.Duration // how long the datasets took that were loaded anew since the last run

	pipes   string // private directory for the driver's pipes
	discard bool   // the record holds nothing
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
	r := &Runner{
		experiment: options.Experiment, options: options, progress: &progress{view: view}, facts: host.ReadFacts, conditions: host.ReadConditions, processes: host.ReadProcesses,
		look: host.ReadInventory, clock: host.ClockOffset, moments: fault.WholeSeconds,
	}
	r.putUp = func(ctx context.Context, e experiment.Environment) (*stand.Stand, error) {
		return r.builder.PutUp(ctx, e)
	}
	r.lanes = r.lanesOf
	r.tuning, r.ground = &tuning.Tuning{Experiment: r.experiment}, ground.New(tune.Kernel{}, nil)
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
	if err := r.prepare(ctx); err != nil {
		return r.prepared(err)
	}
	return r.book.writer.Path(), r.sequence(ctx)
}

// prepared ends an experiment whose environments could not be prepared. A new
// record would tell nothing, so it is not kept, unless somebody only
// interrupted the experiment and may want to go on.
func (r *Runner) prepared(err error) (string, error) {
	if errors.As(err, new(*engine.MistakeError)) {
		err = &InputError{err}
	}
	if r.options.Resume != nil || errors.Is(err, context.Canceled) {
		return r.book.writer.Path(), err
	}
	r.discard = true
	return "", err
}

// ready checks everything that can be checked before anything is made.
func (r *Runner) ready(ctx context.Context) error {
	if r.options.Resume != nil {
		now, err := r.facts()
		if err != nil {
			return err
		}
		if err := resumable(r.options.Resume, r.experiment, now); err != nil {
			return err
		}
	}
	var err error
	if r.tuning, err = tuning.Work(ctx, r.options.Experiment, r.look); err != nil {
		return &InputError{err}
	}
	r.experiment = r.tuning.Experiment
	r.ground = ground.New(tune.Kernel{}, r.tuning.Requests(tune.Kernel{}))
	ahead, err := r.foresee()
	if err != nil {
		return &InputError{err}
	}
	r.options.Experiment.Dataset.Scale = r.experiment.Dataset.Scale // as it was fitted
	plans, err := r.ground.Plans(ctx, r.experiment)
	if err != nil {
		return &InputError{err}
	}
	ahead.Tuned, ahead.LeftOut = r.tuning.Foreseen(plans), r.tuning.LeftOut
	r.preview = ahead
	if err := preview.Check(ctx, r.experiment, ahead); err != nil {
		return &InputError{err}
	}
	erased, err := preview.Erases(ctx, r.experiment)
	if err != nil {
		return &InputError{err}
	}
	ahead.Warnings = append(ahead.Warnings, erased...)
	r.preview = ahead
	r.options.Warnings = append(r.options.Warnings, ahead.Warnings...)
	r.launcher = host.NewLocal()
	r.driver, err = engines.Of(r.experiment).Driver(r.experiment)
	if err != nil {
		return &InputError{err}
	}
	return nil
}

// foresee makes the preview. What was settled when the experiment began stays as it
// was when it is resumed: the scale, and whether servers stand side by side.
func (r *Runner) foresee() (preview.Preview, error) {
	if r.options.Resume == nil {
		return preview.NewFitted(r.experiment, r.ground)
	}
	ahead, err := preview.New(r.experiment, r.ground)
	if err != nil {
		return ahead, err
	}
	if r.options.Resume.Summary.SideBySide && !ahead.SideBySide {
		return ahead, hint.Errorf("free some memory, then resume",
			"the experiment began with all servers side by side, for which there is no longer enough memory")
	}
	ahead.SideBySide = r.options.Resume.Summary.SideBySide
	return ahead, nil
}

// open makes the record, or opens the one to be completed, and the journal.
func (r *Runner) open() error {
	facts, err := r.facts()
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

// close puts everything back and completes the record, on every path.
func (r *Runner) close(cause error) error {
	r.progress.now(Status{Step: "stopping"})
	left := r.putBack()
	state, reason := outcome(cause)
	failure := r.closeRecord(state, reason)
	if left != nil {
		return &PutBackError{errors.Join(left, cause)}
	}
	if cause == nil || errors.As(cause, new(*decidedError)) {
		return failure
	}
	return cause
}

// putBackLimit and hurryLimit are how long putting back may take, also when a
// server does not answer. A hurry does not break it off at once: a second Ctrl-C
// is faster, not dirtier.
const (
	putBackLimit = 2 * time.Minute
	hurryLimit   = 20 * time.Second
)

// putBack undoes all that was made, going on after a failure.
func (r *Runner) putBack() error {
	// What was interrupted must still be put back, so the context is a new one.
	ctx, cancel := context.WithTimeout(context.Background(), putBackLimit)
	defer cancel()
	go func() {
		select {
		case <-r.options.Hurry:
			time.AfterFunc(hurryLimit, cancel)
		case <-ctx.Done():
		}
	}()
	var left error
	if r.stage != nil {
		left = r.stage.Remove(ctx)
	}
	return errors.Join(left, r.journal.PutBack(ctx, engines.Undoers()), r.journal.Close())
}

func (r *Runner) closeRecord(state record.State, reason string) error {
	if r.discard {
		return r.book.writer.Discard()
	}
	return errors.Join(r.book.save(state, reason), r.book.writer.Close())
}

// outcome is the state of a record whose experiment ended with cause.
func outcome(cause error) (record.State, string) {
	var none *NoValidRunError
	var decided *decidedError
	switch {
	case errors.As(cause, &decided):
		return record.Complete, cause.Error()
	case cause == nil:
		return record.Complete, ""
	case errors.As(cause, &none):
		return record.Complete, cause.Error()
	case errors.Is(cause, context.Canceled):
		return record.Interrupted, "interrupted"
	default:
		return record.Interrupted, cause.Error()
	}
}

// announceChanges says what of the whole machine will be changed, before anything is.
func (r *Runner) announceChanges() []string {
	var lines []string
	for _, e := range r.preview.Tuned {
		var changes []string
		for _, k := range e.Knobs {
			if k.Host && k.NotApplicable == "" && k.Was != k.Value {
				changes = append(changes, fmt.Sprintf("%s %s (%s now)", k.Key, k.Value, k.Was))
			}
		}
		if changes != nil {
			lines = append(lines, fmt.Sprintf("for %s this machine gets %s", e.Name, strings.Join(changes, ", ")))
		}
	}
	if lines != nil {
		lines = append(lines, "all of that is put back at the end")
	}
	for _, l := range r.tuning.LeftOut {
		lines = append(lines, fmt.Sprintf("%s is left out, not applicable here: %s", l.Environment, l.Reason))
	}
	return lines
}

// Look is the preview of an experiment, and what the checks say that a run makes. Where
// they refuse it, the preview is whole all the same: somebody else's machine, or root,
// may carry it out. It has no runs where not even a preview can be made.
func Look(options Options) (preview.Preview, error) {
	r := newRunner(options, nil)
	err := r.ready(context.Background())
	return r.preview, err
}
