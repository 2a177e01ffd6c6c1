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

	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/journal"
	"plinth/internal/record"
	"plinth/internal/runner/fault"
	"plinth/internal/runner/preview"
	"plinth/internal/runner/site"
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
	Site       site.Site         // the machines; nil for the one that plinth was started on
	Opened     func(path string) // called with the record's path once it exists; may be nil

	// Plan returns lines about how the experiment that is carried out will be decided: it may lack
	// environments of the file. It may be nil.
	Plan func(*experiment.Experiment) []string

	// Overlooked lists the rules whose notes are dropped from all runs and blocks. Tests of an
	// experiment's behaviour list the rules by which a busy machine invalidates runs. An experiment
	// file has no such key.
	Overlooked []string

	// Once says that a block with an invalid run is not driven again, because what reads the record does without it.
	Once bool

	// Hurry is closed when cleanup must not wait for a server that does not answer; nil means
	// never.
	Hurry <-chan struct{}
}

// Runner carries out one experiment.
type Runner struct {
	options    Options
	experiment *experiment.Experiment // as carried out, with the tuning resolved

	site site.Site // where the environments are, and the load generator

	preview preview.Preview // known before anything is created

	// Written and shown.
	book     *book
	progress *progress
	discard  bool // the record is empty: remove it

	inventories []site.Inventory // of the machines; without those that could not be read
	used        bool             // the initial datasets have been driven
	reloaded    time.Duration    // time spent reloading datasets since the last run

	moments fault.Moments // of injected faults; replaced in tests
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
	if options.Site == nil {
		options.Site = site.NewLocal()
	}
	return &Runner{
		options: options, experiment: options.Experiment, site: options.Site,
		progress: &progress{view: view}, moments: fault.WholeSeconds,
	}
}

// run carries out the experiment after all checks have passed.
func (r *Runner) run(ctx context.Context) (path string, err error) {
	opened, err := r.open(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = r.close(err) }()
	r.progress.view.Say(cmp.Or(r.experiment.Question, r.experiment.Name))
	for _, line := range slices.Concat(r.options.Announce, r.planned(), r.announceChanges()) {
		r.progress.view.Say(line)
	}
	for _, w := range r.options.Warnings {
		r.progress.view.Say("warning: " + w.Text)
	}
	for _, line := range opened.Said {
		r.progress.view.Say(line)
	}
	err = r.prepare(ctx)
	if errors.As(err, new(*engine.MistakeError)) {
		err = &InputError{Err: err}
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

// open creates the record or reopens the one to be completed, and takes the site.
func (r *Runner) open(ctx context.Context) (site.Opened, error) {
	machines, err := r.site.Machines(ctx)
	if err != nil {
		return site.Opened{}, err
	}
	if r.book, err = r.newBook(machines); err != nil {
		return site.Opened{}, &InputError{Err: err}
	}
	path, resume := r.book.writer.Path(), r.options.Resume
	opening := site.Opening{Record: filepath.Base(path), Resumed: resume != nil, Label: path, By: journal.Starter()}
	if resume != nil && len(resume.Runs) > 0 { // the others are comparable with them
		opening.Awake = &resume.Summary.Awake
	}
	opened, err := r.site.Open(ctx, opening)
	if err != nil {
		left := r.putBack(err)
		if resume != nil {
			err = errors.Join(err, r.book.writer.Close())
		} else {
			err = errors.Join(err, r.book.writer.Discard())
		}
		if left != nil {
			return opened, &PutBackError{Err: errors.Join(left, err)}
		}
		return opened, &InputError{Err: err}
	}
	if opened.Awake {
		r.book.summary.Awake = true
	}
	r.book.warn(opened.Notes...)
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
	return opened, nil
}

// Look returns the preview of an experiment and the error of the checks before a run. If a check
// fails, the preview is still complete: another machine, or root, may be able to run the
// experiment. The run count of the preview is zero if not even a preview can be computed.
func Look(ctx context.Context, options Options) (preview.Preview, error) {
	r := newRunner(options, nil)
	err := r.ready(ctx)
	return r.preview, err
}
