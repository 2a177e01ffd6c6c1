package runner

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/experiment/encode"
	"plinth/internal/record"
	"plinth/internal/runner/site"
	"plinth/internal/verdict"
)

// book is the record being written: the runs so far and those still due.
type book struct {
	experiment *experiment.Experiment // with the tuning resolved
	yaml       []byte                 // as declared: a later plinth may render the same experiment differently
	declared   string                 // fingerprint of yaml and the plan

	writer       *record.Writer
	summary      record.Summary
	environments map[string]record.Environment // as described by the servers
	runs         []record.Run
	ledger       *record.Ledger
}

// newBook creates the record, or reopens the one to be completed.
func (r *Runner) newBook(machines []site.Machine) (*book, error) {
	b := &book{experiment: r.experiment, environments: map[string]record.Environment{}}
	var err error
	if resume := r.options.Resume; resume != nil {
		b.yaml, b.summary, b.runs = resume.ExperimentYAML, resume.Summary, resume.Runs
		b.summary.State, b.summary.Reason, b.summary.SideBySide = record.Running, "", r.preview.SideBySide
		b.forget("block-") // save finds them anew
		b.writer, err = record.Reopen(resume.Path)
	} else {
		b.yaml = encode.YAML(r.options.Experiment)
		b.summary = r.newSummary(machines, b.yaml)
		b.writer, err = record.Create(r.options.Store, r.experiment.Name, b.summary.Created, &b.summary, b.yaml)
	}
	if err != nil {
		return nil, err
	}
	b.declared = record.DeclaredFingerprint(b.yaml, b.summary.Plan)
	b.ledger = record.NewLedger(b.names(), b.runs)
	return b, nil
}

// save rewrites record.json from the runs so far.
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
	// A resumed experiment keeps its verdicts until all environments are there again.
	described := len(b.environments) == len(b.experiment.Environments)
	if state != record.Running && len(b.runs) > 0 && s.Plan != nil && described {
		comparison, err := verdict.Of(b.soFar(s), verdict.Options{})
		if err != nil {
			return errors.Join(err, b.writer.Save(&s))
		}
		s.Verdicts, s.Noise = comparison.Verdicts, comparison.Noise
	}
	return b.writer.Save(&s)
}

// soFar returns the record in its current state without reading its directory.
func (b *book) soFar(s record.Summary) *record.Record {
	return &record.Record{Path: b.writer.Path(), Summary: s, ExperimentYAML: b.yaml, Environments: b.environments, Runs: b.runs}
}

// commit adds a run to the record.
func (b *book) commit(pending *record.Pending, run *record.Run, points record.Points) error {
	if err := pending.Commit(run, points); err != nil {
		return err
	}
	b.ledger.Add(*run)
	b.runs = append(b.runs, *run)
	return nil
}

// names returns the names of the environments, in order.
func (b *book) names() []string {
	var names []string
	for _, e := range b.experiment.Environments {
		names = append(names, e.Name)
	}
	return names
}

// dueRuns counts the runs of all blocks that have not been driven yet. Blocks to be driven
// again are counted when their repeat reaches them.
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

// dueIn returns the attempt at which each block of a repeat is due: new blocks in the first
// pass, blocks to be driven again in the second.
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

// decidedError ends an experiment whose verdicts are decided before the plan's end. It is not a
// failure.
type decidedError struct{ repeat int }

func (e *decidedError) Error() string {
	return fmt.Sprintf("decided at the look after repeat %d", e.repeat)
}

// decided returns a decidedError if the experiment may end after this many repeats: only at a
// planned look, and only if every comparison that must be decided has a verdict.
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

// newSummary returns record.json as it is before the first run.
func (r *Runner) newSummary(machines []site.Machine, yaml []byte) record.Summary {
	e := r.experiment
	summary := record.Summary{
		Schema: record.SummarySchema, Name: e.Name, Question: e.Question, Engine: e.Engine,
		State: record.Running, Created: time.Now().UTC().Truncate(time.Second),
		Plinth: r.options.Version, Command: r.options.Command, Directory: r.options.Directory,
		Source: r.options.Source, Sets: r.options.Sets,
		Fingerprint: record.Fingerprint(yaml), Seed: e.Seed, Baseline: e.Baseline,
		LeftOut: r.preview.LeftOut, SideBySide: r.preview.SideBySide, Plan: verdict.PlanOf(e), Planned: len(e.Cells()) * e.Repeats * len(e.Environments),
	}
	summary.Machine, summary.Machines = factsOf(machines, r.atOf(e.Baseline))
	for _, w := range r.options.Warnings {
		summary.Warnings = append(summary.Warnings, record.Note{Rule: w.Rule, Text: w.Text, Hint: w.Hint})
	}
	return summary
}

// forget removes the notes of rules that begin with a prefix.
func (b *book) forget(prefix string) {
	b.summary.Warnings = slices.DeleteFunc(b.summary.Warnings, func(n record.Note) bool { return strings.HasPrefix(n.Rule, prefix) })
}

// warn adds notes to the record, without those that it has: an experiment that is resumed finds some again.
func (b *book) warn(notes ...record.Note) {
	for _, note := range notes {
		if !slices.ContainsFunc(b.summary.Warnings, func(n record.Note) bool { return n.Rule == note.Rule && n.Text == note.Text }) {
			b.summary.Warnings = append(b.summary.Warnings, note)
		}
	}
}
