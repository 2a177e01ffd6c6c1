package runner

import (
	"errors"
	"strings"
	"time"

	"plinth/internal/host"
	"plinth/internal/record"
	"plinth/internal/runner/engines"
	"plinth/internal/validity"
	"plinth/internal/verdict"
)

// newSummary is record.json as it stands before the first run.
func (r *Runner) newSummary(facts host.Facts) record.Summary {
	e := r.experiment
	summary := record.Summary{
		Schema: record.SummarySchema, Name: e.Name, Question: e.Question, Engine: e.Engine,
		State: record.Running, Created: time.Now().UTC().Truncate(time.Second),
		Plinth: r.options.Version, Command: r.options.Command, Directory: r.options.Directory,
		Source: r.options.Source, Sets: r.options.Sets,
		Fingerprint: record.Fingerprint(r.declaredYAML()), Seed: e.Seed, Baseline: e.Baseline,
		LeftOut: r.tuning.LeftOut, Machine: facts, Plan: verdict.PlanOf(e), Planned: len(e.Cells()) * e.Repeats * len(e.Environments),
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
	if state != record.Running && len(r.runs) > 0 && s.Plan != nil {
		comparison, err := verdict.Of(r.soFar(s), verdict.Options{})
		if err != nil {
			return errors.Join(err, r.writer.Save(&s))
		}
		s.Verdicts, s.Noise = comparison.Verdicts, comparison.Noise
	}
	return r.writer.Save(&s)
}

// soFar is the record as it stands, without reading it from its directory.
func (r *Runner) soFar(s record.Summary) *record.Record {
	environments := map[string]record.Environment{}
	for _, p := range r.stage.Stands {
		environments[p.Environment.Name] = p.Described
	}
	return &record.Record{
		Path: r.writer.Path(), Summary: s, ExperimentYAML: r.declaredYAML(), Environments: environments, Runs: r.runs,
	}
}

// foundAnew says of a note that it is made again whenever an experiment is resumed.
func foundAnew(note record.Note) bool {
	return strings.HasPrefix(note.Rule, "parity-") || strings.HasPrefix(note.Rule, "block-")
}

// whole is what is known to weaken the experiment before its first run. Where it
// is resumed, that was said when it began.
func (r *Runner) whole() []record.Note {
	if r.options.Resume != nil && len(r.options.Resume.Environments) > 0 {
		return nil
	}
	return validity.Whole(r.experiment, r.described())
}

// described is what is really under test, by the name of the environment.
func (r *Runner) described() map[string]record.Environment {
	environments := map[string]record.Environment{}
	for _, p := range r.stage.Stands {
		environments[p.Environment.Name] = p.Described
	}
	return environments
}

// parity names what differs between each environment and the baseline without
// having been declared.
func (r *Runner) parity() []record.Note {
	baseline := r.stage.Stand(r.experiment.Baseline)
	var notes []record.Note
	for _, p := range r.stage.Stands {
		if p == baseline {
			continue
		}
		for _, note := range engines.Parity(baseline.Described, p.Described) {
			note.Environment = p.Environment.Name
			notes = append(notes, note)
		}
	}
	return notes
}
