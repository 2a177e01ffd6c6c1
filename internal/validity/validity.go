// Package validity decides, run by run, whether a run is fit to be a number, and
// says so as data: the rule, what was seen, what to do. A run with a reason is
// invalid; a warning stands beside the number that it weakens.
//
// Everything is decided from records alone, so it can be decided again for old
// ones. A figure that could not be read is never taken for a zero: the rules that
// need it say nothing, and evidence-missing says that they do not.
package validity

import (
	"fmt"
	"slices"
	"time"

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
func (c Case) words() experiment.Terms { return experiment.TermsOf(c.Experiment.Engine) }

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

// rule is one thing that may be wrong with a run.
type rule struct {
	name   string
	hint   string // what the user can do
	engine string // the only engine that it concerns; empty: each
	// needs are the figures of record.Evidence that it reads, by their JSON names.
	// Without one of them it keeps silent.
	needs []string
	// when says whether the rule concerns a case at all; nil: each.
	when func(Case) bool
	// check is what was seen that breaks the rule, in words; empty when it holds.
	check func(Case) string
}

func (r rule) concerns(c Case) bool {
	return isOf(r.engine, c.Experiment) && (r.when == nil || r.when(c))
}

// isOf says whether what concerns one engine, or each, concerns an experiment.
func isOf(engine string, e *experiment.Experiment) bool { return engine == "" || engine == e.Engine }

// share is part of whole, and 0 where there is no whole.
func share(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return part / whole
}

func percent(share float64) string { return fmt.Sprintf("%.3g %%", 100*share) }

// plain is a number of three digits or more, without an exponent: "0.6", "60103".
func plain(x float64) string {
	if x < 100 {
		return fmt.Sprintf("%.3g", x)
	}
	return fmt.Sprintf("%.0f", x)
}

func seconds(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(time.Millisecond).String()
}
