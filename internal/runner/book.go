package runner

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/experiment/canonical"
	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/verdict"
)

// book is the record as it is written: what is known so far, and what is still due.
type book struct {
	experiment *experiment.Experiment // as it is carried out
	yaml       []byte                 // as it was declared: a later plinth may write the same with other words
	declared   string                 // fingerprint of that and the plan

	writer       *record.Writer
	summary      record.Summary
	environments map[string]record.Environment // what is really under test
	runs         []record.Run
	ledger       *record.Ledger
}

// newBook makes the record, or opens the one to be completed.
func (r *Runner) newBook(facts host.Facts) (*book, error) {
	b := &book{experiment: r.experiment, environments: map[string]record.Environment{}}
	var err error
	if resume := r.options.Resume; resume != nil {
		b.yaml, b.summary, b.runs = resume.ExperimentYAML, resume.Summary, resume.Runs
		b.summary.State, b.summary.Reason = record.Running, ""
		b.summary.Warnings = slices.DeleteFunc(b.summary.Warnings, foundAnew)
		b.writer, err = record.Reopen(resume.Path)
	} else {
		b.yaml = canonical.YAML(r.options.Experiment)
		b.summary = r.newSummary(facts, b.yaml)
		b.writer, err = record.Create(r.options.Store, r.experiment.Name, b.summary.Created, &b.summary, b.yaml)
	}
	if err != nil {
		return nil, err
	}
	b.declared = record.DeclaredFingerprint(b.yaml, b.summary.Plan)
	b.ledger = record.NewLedger(b.names(), b.runs)
	return b, nil
}

// save writes record.json anew from the runs so far.
func (b *book) save(state record.State, reason string) error {
	s := b.summary
	s.State, s.Reason = state, reason
	if state == record.Complete {
		s.Finished = time.Now().UTC().Truncate(time.Second)
	}
	s.Counts = record.Count(b.runs)
	var leftOut []record.Note
	s.Samples, leftOut = record.Samples(b.names(), b.runs)
	s.Warnings = append(s.Warnings[:len(s.Warnings):len(s.Warnings)], leftOut...)
	if state != record.Running && len(b.runs) > 0 && s.Plan != nil {
		comparison, err := verdict.Of(b.soFar(s), verdict.Options{})
		if err != nil {
			return errors.Join(err, b.writer.Save(&s))
		}
		s.Verdicts, s.Noise = comparison.Verdicts, comparison.Noise
	}
	return b.writer.Save(&s)
}

// soFar is the record as it stands, without reading it from its directory.
func (b *book) soFar(s record.Summary) *record.Record {
	return &record.Record{Path: b.writer.Path(), Summary: s, ExperimentYAML: b.yaml, Environments: b.environments, Runs: b.runs}
}

// commit takes a run into the record.
func (b *book) commit(pending *record.Pending, run *record.Run, points record.Points) error {
	if err := pending.Commit(run, points); err != nil {
		return err
	}
	b.ledger.Add(*run)
	b.runs = append(b.runs, *run)
	return nil
}

// names are those of the environments, in order.
func (b *book) names() []string {
	var names []string
	for _, e := range b.experiment.Environments {
		names = append(names, e.Name)
	}
	return names
}

// dueRuns counts the runs of all blocks that were not driven yet. Those that are to be
// driven again are counted when their repeat comes to them.
func (b *book) dueRuns() int {
	due := 0
	for _, slots := range b.experiment.Schedule() {
		for _, slot := range slots {
			if block := (record.Block{Cell: slot.Cell, Repeat: slot.Repeat}); b.ledger.Due(block) > 0 && !b.ledger.Begun(block) {
				due++
			}
		}
	}
	return due
}

// dueIn is the attempt at which each block of a repeat is to be driven, in the
// first pass or again in the second.
func (b *book) dueIn(slots []experiment.Slot, again bool) map[experiment.Cell]int {
	due := map[experiment.Cell]int{}
	for _, slot := range slots {
		block := record.Block{Cell: slot.Cell, Repeat: slot.Repeat}
		if attempt := b.ledger.Due(block); attempt > 0 && b.ledger.Begun(block) == again {
			due[slot.Cell] = attempt
		}
	}
	return due
}

// missing lists the cells without a block that counts.
func (b *book) missing() []string {
	counted, _ := record.Counted(b.names(), b.runs)
	there := map[experiment.Cell]bool{}
	for _, run := range counted {
		there[run.Cell] = true
	}
	var missing []string
	for _, cell := range b.experiment.Cells() {
		if !there[cell] {
			missing = append(missing, cell.String())
		}
	}
	return missing
}

// decidedError ends an experiment that has its answer before the plan's end. It
// is no failure.
type decidedError struct{ repeat int }

func (e *decidedError) Error() string {
	return fmt.Sprintf("decided at the look after repeat %d", e.repeat)
}

// decided looks whether the experiment may end after so many repeats: at a look
// that was planned, and only when every comparison that has to be decided has a
// word.
func (b *book) decided(repeats int) error {
	if b.experiment.Stop != "decided" || b.summary.Plan == nil || repeats >= b.experiment.Repeats ||
		!slices.ContainsFunc(b.summary.Plan.Looks, func(l record.Look) bool { return l.Repeat == repeats }) {
		return nil
	}
	comparison, err := verdict.Of(b.soFar(b.summary), verdict.Options{})
	if err != nil {
		return err
	}
	if comparison.Look == nil || comparison.Look.Repeat != repeats || !comparison.Decided() {
		return nil
	}
	return &decidedError{repeats}
}

// newSummary is record.json as it stands before the first run.
func (r *Runner) newSummary(facts host.Facts, yaml []byte) record.Summary {
	e := r.experiment
	summary := record.Summary{
		Schema: record.SummarySchema, Name: e.Name, Question: e.Question, Engine: e.Engine,
		State: record.Running, Created: time.Now().UTC().Truncate(time.Second),
		Plinth: r.options.Version, Command: r.options.Command, Directory: r.options.Directory,
		Source: r.options.Source, Sets: r.options.Sets,
		Fingerprint: record.Fingerprint(yaml), Seed: e.Seed, Baseline: e.Baseline,
		LeftOut: r.tuning.LeftOut, Machine: facts, Plan: verdict.PlanOf(e), Planned: len(e.Cells()) * e.Repeats * len(e.Environments),
	}
	for _, w := range r.options.Warnings {
		summary.Warnings = append(summary.Warnings, record.Note{Rule: w.Rule, Text: w.Text, Hint: w.Hint})
	}
	return summary
}

// foundAnew says of a note that it is made again whenever an experiment is resumed.
func foundAnew(note record.Note) bool {
	return strings.HasPrefix(note.Rule, "parity-") || strings.HasPrefix(note.Rule, "block-")
}
