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
	p.Effects = len(e.Screened()) * len(e.Workloads)
	for _, look := range stats.Looks(unitsEach(p.Unit, e), e.Repeats, max(p.Family, p.Effects)) {
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

// pair is a comparison of one environment with another, the baseline, for one workload.
type pair struct{ workload, baseline, other string }

// compared returns the comparisons that have to be decided.
func compared(e *experiment.Experiment) []pair {
	var pairs []pair
	for _, w := range e.Workloads {
		for _, p := range pairsOf(e) {
			if e.Compares(w.Name, p.Baseline, p.Other) {
				pairs = append(pairs, pair{w.Name, p.Baseline, p.Other})
			}
		}
	}
	return pairs
}

// pairsOf returns the pairs of environments that an experiment compares: each with its baseline or, with
// compare: all, every pair. The baseline of a pair of two others is the one that comes first in the file.
func pairsOf(e *experiment.Experiment) []Pair {
	all := pairsWith(e.Baseline, others(e))
	if !e.ComparesAll() {
		return all
	}
	for i, baseline := range others(e) {
		all = append(all, pairsWith(baseline, others(e)[i+1:])...)
	}
	return all
}

// pairsWith pairs a baseline with each of other environments.
func pairsWith(baseline string, others []string) []Pair {
	var all []Pair
	for _, other := range others {
		all = append(all, Pair{baseline, other})
	}
	return all
}

// others returns all environments but the baseline, in the order of the file.
func others(e *experiment.Experiment) []string {
	var names []string
	for _, environment := range e.Environments {
		if environment.Name != e.Baseline {
			names = append(names, environment.Name)
		}
	}
	return names
}
