package verdict

import (
	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/stats"
)

// These are the units of randomisation, and so of the test.
const (
	unitBlock  = "block"
	unitRepeat = "repeat"
)

// PlanOf returns the plan by which an experiment will be decided; nil where nothing is
// compared.
func PlanOf(e *experiment.Experiment) *record.Plan {
	if len(e.Environments) < 2 {
		return nil
	}
	p := &record.Plan{
		Metric: e.Metric, Margin: float64(e.Margin), Unit: unitOf(e), Compare: e.Compare, Stop: e.Stop,
		Family: len(compared(e)), Cells: len(compared(e)) * cellsEach(e),
	}
	for _, look := range stats.Looks(unitsEach(p.Unit, e), e.Repeats, p.Family) {
		p.Looks = append(p.Looks, record.Look(look))
	}
	return p
}

// unitOf returns the unit whose signs the test flips: the randomised one. Where environments
// are interleaved by repeat, that is the order within a repeat. Where each repeat reloads the
// datasets, it is the variation between loads, which all blocks of a repeat share: flipping
// blocks would count one draw as many.
func unitOf(e *experiment.Experiment) string {
	if e.Interleave == "repeat" || e.Dataset.Reload == "repeat" && e.Reset != "reload" {
		return unitRepeat
	}
	return unitBlock
}

// cellsEach returns the number of cells of each workload.
func cellsEach(e *experiment.Experiment) int { return len(e.Cells()) / len(e.Workloads) }

// unitsEach returns how many units a repeat adds for one workload.
func unitsEach(unit string, e *experiment.Experiment) int {
	if unit == unitRepeat {
		return 1
	}
	return cellsEach(e)
}

// pair is a comparison of one environment with the baseline for one workload.
type pair struct{ workload, other string }

// compared returns the comparisons that have to be decided.
func compared(e *experiment.Experiment) []pair {
	var pairs []pair
	for _, w := range e.Workloads {
		for _, other := range others(e) {
			if e.Compares(w.Name, other) {
				pairs = append(pairs, pair{w.Name, other})
			}
		}
	}
	return pairs
}

// others returns the environments that are compared with the baseline.
func others(e *experiment.Experiment) []string {
	var names []string
	for _, environment := range e.Environments {
		if environment.Name != e.Baseline {
			names = append(names, environment.Name)
		}
	}
	return names
}
