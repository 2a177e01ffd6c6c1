package show

import (
	"path/filepath"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/verdict"
)

// experimentOf is the experiment of a record. Where it cannot be read (it is of a
// later plinth, or of an engine that this one does not know) it is what the runs
// show of it, and the note says so: what was measured is shown all the same.
func experimentOf(rec *record.Record) (*experiment.Experiment, []record.Note) {
	exp, err := rec.Experiment()
	if err == nil {
		return exp, nil
	}
	note := record.Note{Rule: "experiment-unread", Text: "the experiment of this record cannot be read, so its verdicts are those stored as it ended: " + err.Error(), Hint: hint.Of(err)}
	s := rec.Summary
	return seenIn(rec, &experiment.Experiment{Name: s.Name, Question: s.Question, Engine: s.Engine, Baseline: s.Baseline, Seed: s.Seed}), []record.Note{note}
}

// Stored is the comparison as the record's summary holds it; nil where it holds none.
func Stored(rec *record.Record) *verdict.Comparison {
	s := rec.Summary
	if s.Plan == nil || len(s.Verdicts) == 0 {
		return nil
	}
	return &verdict.Comparison{Records: []string{filepath.Base(rec.Path)}, Question: s.Question, Plan: *s.Plan, Verdicts: s.Verdicts}
}

// seenIn fills in what the runs of rec show.
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

// cellsIn are the cells of an experiment: those of its matrix, or where it was not
// read those of the runs.
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
