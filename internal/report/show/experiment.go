package show

import (
	"path/filepath"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/verdict"
)

// experimentOf returns the experiment of a record. If it cannot be read, because it is from a
// later plinth or uses an unknown engine, it is reconstructed from the runs and a note says so:
// the measurements are shown nevertheless.
func experimentOf(rec *record.Record) (*experiment.Experiment, []record.Note) {
	exp, err := rec.Experiment()
	if err == nil {
		return exp, nil
	}
	note := record.Note{Rule: "experiment-unread", Text: "the verdicts are those stored in the record, because its experiment cannot be read: " + err.Error(), Hint: hint.Of(err)}
	s := rec.Summary
	return seenIn(rec, &experiment.Experiment{Name: s.Name, Question: s.Question, Engine: s.Engine, Baseline: s.Baseline, Seed: s.Seed}), []record.Note{note}
}

// Stored returns the comparison in the record's summary; nil if none exists.
func Stored(rec *record.Record) *verdict.Comparison {
	s := rec.Summary
	if s.Plan == nil || len(s.Verdicts) == 0 {
		return nil
	}
	return &verdict.Comparison{Schema: verdict.Schema, Records: []string{filepath.Base(rec.Path)}, Question: s.Question, Engine: s.Engine,
		Plan: *s.Plan, Verdicts: s.Verdicts, Cells: []record.Verdict{}, Sentences: []string{}, Warnings: []record.Note{}}
}

// seenIn adds to exp what the runs of rec show.
func seenIn(rec *record.Record, exp *experiment.Experiment) *experiment.Experiment {
	var names []string
	for name := range rec.Environments {
		names = append(names, name)
	}
	for _, run := range rec.Runs {
		names = append(names, run.Environment)
		exp.Repeats = max(exp.Repeats, run.Repeat)
		if !slices.Contains(exp.Threads, run.Threads) {
			exp.Threads = append(exp.Threads, run.Threads)
		}
		if !slices.ContainsFunc(exp.Workloads, func(w experiment.Workload) bool { return w.Name == run.Workload }) {
			exp.Workloads = append(exp.Workloads, experiment.Workload{Name: run.Workload})
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		exp.Environments = append(exp.Environments, experiment.Environment{Name: name})
	}
	return exp
}

// cellsIn returns the cells of an experiment: those of its matrix, or those of the runs if it
// could not be read.
func cellsIn(exp *experiment.Experiment, rec *record.Record, unread []record.Note) []experiment.Cell {
	if unread == nil {
		return exp.Cells()
	}
	var cells []experiment.Cell
	for _, run := range rec.Runs {
		if !slices.Contains(cells, run.Cell) {
			cells = append(cells, run.Cell)
		}
	}
	slices.SortFunc(cells, record.CompareCells)
	return cells
}
