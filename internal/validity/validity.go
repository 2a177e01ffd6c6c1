// Package validity decides for each run whether its result is valid. It returns notes,
// each with a rule, what was observed, and what to do. A note is either a reason, which
// makes the run invalid, or a warning, which weakens its result.
//
// All decisions are based on records alone, so they can be repeated for old records. A
// figure that could not be read is never treated as zero: the rules that need it are
// skipped, and the warning evidence-missing lists them.
package validity

import (
	"fmt"
	"slices"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// Case is one run and the data that it is judged by.
type Case struct {
	Experiment  *experiment.Experiment
	Environment record.Environment
	Run         *record.Run
	Points      record.Points
}

// reasonRules make a run invalid.
var reasonRules = slices.Concat(loadReasons, generatorReasons, serverReasons, machineReasons, emulationReasons, eventReasons)

// warningRules weaken the result of a run that stays valid.
var warningRules = slices.Concat(loadWarnings, generatorWarnings, postgresWarnings, redisWarnings, machineWarnings, windowWarnings, emulationWarnings, eventWarnings, storageWarnings, saidWarnings)

// Judge returns why a run is invalid (reasons) and what weakens its result (warnings). It
// does not repeat the checks of the driver and the runner: a log that disagrees with
// pgbench, a stepped clock, a window that was not covered.
func Judge(c Case) (reasons, warnings []record.Note) {
	must, may := reasonRules, warningRules
	if bystander(c) {
		must, may = without(must, machineReasons), without(may, machineWarnings)
	}
	reasons, warnings = broken(must, c), broken(may, c)
	warnings = append(warnings, missing(slices.Concat(must, may), c)...)
	more, weaker := apart(c)
	return append(reasons, more...), append(warnings, weaker...)
}

// broken returns a note for each rule that a case breaks.
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

// words returns the terms for the operations of the load.
func (c Case) words() experiment.Terms { return experiment.TermsOf(c.Experiment.Engine) }

// workload returns the workload of the run.
func (c Case) workload() experiment.Workload { return workloadNamed(c.Experiment, c.Run.Workload) }

// workloadNamed returns an empty workload if the experiment has none of this name.
func workloadNamed(e *experiment.Experiment, name string) experiment.Workload {
	for _, w := range e.Workloads {
		if w.Name == name {
			return w
		}
	}
	return experiment.Workload{}
}

// rule is one check of a run.
type rule struct {
	name   string
	hint   string // what the user can do
	engine string // the only engine that it applies to; empty: all
	// needs lists the figures of record.Evidence that it reads, by their JSON names. If one
	// is missing the rule is skipped.
	needs []string
	// when reports whether the rule applies to a case; nil: it applies to all.
	when func(Case) bool
	// check describes what breaks the rule; "" if the rule holds.
	check func(Case) string
}

func (r rule) concerns(c Case) bool {
	return isOf(r.engine, c.Experiment) && (r.when == nil || r.when(c))
}

// isOf reports whether a rule for engine, or for all engines if "", applies to an experiment.
func isOf(engine string, e *experiment.Experiment) bool { return engine == "" || engine == e.Engine }

// share returns part divided by whole; 0 if whole is not positive.
func share(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return part / whole
}

func percent(share float64) string { return unit.Digits(100*share, 3) + " %" }

// plain formats a number with at least three significant digits, without an exponent: "0.6",
// "60103".
func plain(x float64) string {
	if x < 100 {
		return unit.Digits(x, 3)
	}
	return fmt.Sprintf("%.0f", x)
}

func seconds(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(time.Millisecond).String()
}
