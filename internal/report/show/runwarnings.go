package show

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// runWarning merges the warnings of runs by one rule.
type runWarning struct {
	first record.Note
	runs  []record.Run // the runs with it
	same  bool         // all texts are equal; otherwise the figures differ
}

// runWarnings merges the warnings of runs by rule.
func runWarnings(runs []record.Run) []*runWarning {
	byRule := map[string]*runWarning{}
	var all []*runWarning
	for _, run := range runs {
		for i, note := range run.Warnings {
			if slices.ContainsFunc(run.Warnings[:i], func(n record.Note) bool { return n.Rule == note.Rule }) {
				continue // one warning per rule and run
			}
			w := byRule[note.Rule]
			if w == nil {
				w = &runWarning{first: note, same: true}
				byRule[note.Rule] = w
				all = append(all, w)
			}
			w.runs = append(w.runs, run)
			w.same = w.same && note.Text == w.first.Text
		}
	}
	return all
}

// only returns the environment of all runs with the warning; "" if there are several.
func (w *runWarning) only() string {
	name := w.runs[0].Environment
	if slices.ContainsFunc(w.runs, func(r record.Run) bool { return r.Environment != name }) {
		return ""
	}
	return name
}

// note returns the warning with the number and the cells of the runs concerned.
func (w *runWarning) note(all []record.Run) record.Note {
	note := w.first
	if len(w.runs) == len(all) && w.same {
		return note
	}
	where := []string{"all " + phrase.Plural(len(all), "run")}
	if len(w.runs) < len(all) {
		where = []string{w.someRuns(all), w.cells(all)}
	}
	if !w.same {
		where = append(where, "the figures are from the first run")
	}
	note.Text += " (" + strings.Join(where, "; ") + ")"
	return note
}

// someRuns returns how many of all runs have the warning; with several environments, how many
// in each.
func (w *runWarning) someRuns(all []record.Run) string {
	count := map[string]int{}
	var names []string
	for _, run := range w.runs {
		if count[run.Environment] == 0 {
			names = append(names, run.Environment)
		}
		count[run.Environment]++
	}
	text := fmt.Sprintf("%d of %s", len(w.runs), phrase.Plural(len(all), "run"))
	if len(names) < 2 {
		return text
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%d in %s", count[name], name)
	}
	return text + ": " + strings.Join(names, ", ")
}

func (w *runWarning) cells(all []record.Run) string {
	concerned := cellsOf(w.runs)
	if len(concerned) == len(cellsOf(all)) {
		return "every cell"
	}
	return phrase.SomeOf(concerned)
}

func cellsOf(runs []record.Run) []string {
	var paths []string
	for _, run := range runs {
		if path := run.Cell.Path(); !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}
