package runner

import (
	"strings"
	"time"

	"plinth/internal/host"
	"plinth/internal/record"
)

// newSummary is record.json as it stands before the first run.
func (r *Runner) newSummary(facts host.Facts) record.Summary {
	e := r.experiment
	summary := record.Summary{
		Schema: record.SummarySchema, Name: e.Name, Question: e.Question, Engine: e.Engine,
		State: record.Running, Created: time.Now().UTC().Truncate(time.Second),
		Plinth: r.options.Version, Command: r.options.Command, Directory: r.options.Directory,
		Source: r.options.Source, Sets: r.options.Sets,
		Fingerprint: record.Fingerprint(e.Canonical()), Seed: e.Seed, Baseline: e.Baseline,
		Machine: facts, Planned: len(e.Cells()) * e.Repeats * len(e.Environments),
	}
	for _, w := range r.options.Warnings {
		summary.Warnings = append(summary.Warnings, record.Note{Rule: w.Rule, Text: w.Text, Hint: w.Hint})
	}
	return summary
}

// save writes record.json anew from the runs so far.
func (r *Runner) save(state record.State, reason string) error {
	s := r.summary
	s.State, s.Reason = state, reason
	if state == record.Complete {
		s.Finished = time.Now().UTC().Truncate(time.Second)
	}
	s.Counts = record.Count(r.runs)
	var leftOut []record.Note
	s.Samples, leftOut = record.Samples(r.environmentNames(), r.runs)
	s.Warnings = append(s.Warnings[:len(s.Warnings):len(s.Warnings)], leftOut...)
	return r.writer.Save(&s)
}

// foundAnew says of a note that it is made again whenever an experiment is resumed.
func foundAnew(note record.Note) bool {
	return strings.HasPrefix(note.Rule, "parity-") || strings.HasPrefix(note.Rule, "block-")
}

// parity names what differs between each environment and the baseline without
// having been declared.
func (r *Runner) parity() []record.Note {
	baseline := r.stage.place(r.experiment.Baseline)
	var notes []record.Note
	for _, p := range r.stage.places {
		if p != baseline {
			notes = append(notes, parity(baseline.described, p.described)...)
		}
	}
	return notes
}
