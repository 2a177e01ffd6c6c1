// Package validity decides, run by run, whether a run is fit to be a number, and
// says so as data: the rule, what was seen, what to do. A run with a reason is
// invalid; a warning stands beside the number that it weakens.
//
// Everything is decided from records alone, so it can be decided again for old
// ones. A figure that could not be read is never taken for a zero: the rules that
// need it say nothing, and evidence-missing says that they do not.
package validity

import (
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// Case is one run and what it is judged by.
type Case struct {
	Experiment  *experiment.Experiment
	Environment record.Environment
	Run         *record.Run
	Points      record.Points
}

// reasonRules make a run invalid.
var reasonRules = slices.Concat(loadReasons, generatorReasons, serverReasons, machineReasons, emulationReasons, eventReasons)

// warningRules weaken a run that stays a number.
var warningRules = slices.Concat(loadWarnings, generatorWarnings, postgresWarnings, redisWarnings, machineWarnings, windowWarnings, emulationWarnings, eventWarnings, storageWarnings)

// Judge says why a run is no number (reasons), and what weakens it (warnings).
// What only the driver and the runner can see, they have judged already: a log
// that disagrees with pgbench, a clock that was stepped, a window not covered.
func Judge(c Case) (reasons, warnings []record.Note) {
	reasons, warnings = broken(reasonRules, c), broken(warningRules, c)
	return reasons, append(warnings, missing(slices.Concat(reasonRules, warningRules), c)...)
}

// broken is a note for each rule that a case breaks.
func broken(rules []rule, c Case) []record.Note {
	var notes []record.Note
	for _, r := range rules {
		if !r.concerns(c) || len(unread(c.Run.Evidence, r.needs)) > 0 {
			continue
		}
		if text := r.check(c); text != "" {
			notes = append(notes, record.Note{Rule: r.name, Text: text, Hint: r.hint})
		}
	}
	return notes
}

// words are what the operations of its load are called.
func (c Case) words() experiment.Words { return experiment.WordsOf(c.Experiment.Engine) }

// workload is what the run drove.
func (c Case) workload() experiment.Workload { return workloadNamed(c.Experiment, c.Run.Workload) }

// workloadNamed is empty where the experiment has no workload of this name.
func workloadNamed(e *experiment.Experiment, name string) experiment.Workload {
	for _, w := range e.Workloads {
		if w.Name == name {
			return w
		}
	}
	return experiment.Workload{}
}
