package steps

import (
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/report/show"
	"plinth/internal/verdict"
)

// Table is a step table: environments of which each adds something to the one
// before, with what each has changed.
//
// The form is that of Iwan Setiawan, "Bare Metal vs. AWS RDS: CPU/NUMA Pinning and
// HugePages", Full Tuning Journey.
type Table struct {
	Metric   string  `json:"metric"` // by which there are words
	Margin   float64 `json:"margin"` // a share: differences within it do not matter
	Unit     string  `json:"unit"`   // what n counts: "block" or "repeat"
	Baseline string  `json:"baseline"`
	// Declared is how many comparisons share the 5 % of error that was declared: those
	// against the baseline. Own is how many of those against the step before are none of
	// them, and share as much of their own. Fewest and FewestOwn are how many units a
	// word of either takes.
	Declared  int    `json:"declared"`
	Own       int    `json:"own"`
	Fewest    int    `json:"fewest"`
	FewestOwn int    `json:"fewest_own"`
	Steps     []Step `json:"steps"`
}

// Step is one step with its means, and what it is worth.
type Step struct {
	Name   string `json:"name"`
	Change string `json:"change,omitempty"` // what it changes, in a few words
	// NotApplicable is why it was not measured: this machine has nothing of it.
	NotApplicable string         `json:"not_applicable,omitempty"`
	Averages      []show.Average `json:"averages"`             // arithmetic means over cells, by workload
	OneClient     []show.Average `json:"one_client,omitempty"` // of the cells with one client
	Overall       float64        `json:"overall_tps"`          // mean of the workloads' averages; 0 when one is missing
	// Previous is the last step before it that was measured; "" for the first.
	Previous string `json:"previous,omitempty"`
	// AgainstPrevious and AgainstBaseline are effects: by the declared metric with words,
	// of TPS and latencies without. Those without a workload are of the overall TPS.
	AgainstPrevious []record.Verdict `json:"against_previous"`
	AgainstBaseline []record.Verdict `json:"against_baseline"`
	Cliffs          []Cliff          `json:"cliffs,omitempty"`
}

// Of is the step table of a record; nil where it has no steps, or where s shows
// only some of its environments. c is the comparison of all of them; nil where there is none.
func Of(s *show.Numbers, rec *record.Record, c *verdict.Comparison) *Table {
	if !s.Whole() || len(s.Experiment.Steps) == 0 {
		return nil
	}
	t := &Table{Metric: s.Experiment.Metric, Margin: float64(s.Experiment.Margin), Unit: "block", Baseline: s.Experiment.Baseline}
	previous := ""
	for _, e := range s.Environments {
		t.Steps = append(t.Steps, Step{
			Name: e.Name, Change: changeOf(s.Experiment, e.Name), Previous: previous,
			Averages: e.Averages, Overall: e.Overall, OneClient: oneClient(e), Cliffs: cliffsOf(s.Counted, s.Workloads, e.Name),
			AgainstPrevious: []record.Verdict{}, AgainstBaseline: []record.Verdict{},
		})
		previous = e.Name
	}
	for _, l := range rec.Summary.LeftOut { // steps that were not measured stand where they were among the others
		step := Step{Name: l.Environment, Change: l.Change, NotApplicable: l.Reason,
			Averages: []show.Average{}, AgainstPrevious: []record.Verdict{}, AgainstBaseline: []record.Verdict{}}
		t.Steps = slices.Insert(t.Steps, max(0, min(l.Step-1, len(t.Steps))), step)
	}
	if c != nil {
		t.compare(s, rec, c)
	}
	return t
}

func changeOf(e *experiment.Experiment, name string) string {
	at := slices.IndexFunc(e.Steps, func(s experiment.Step) bool { return s.Name == name })
	if at < 0 {
		return ""
	}
	return e.Steps[at].Change
}

// oneClient are the means at one client; nil where a rate was set, or where all cells
// have one client.
func oneClient(e show.Environment) []show.Average {
	for _, r := range e.Rows {
		if r.Clients == 1 && r.Rate == 0 && len(e.Rows) > 1 {
			return r.Values
		}
	}
	return nil
}

// compare adds what each step is worth. An error is that of a record which cannot be
// compared; what it says is in the warnings.
func (t *Table) compare(s *show.Numbers, rec *record.Record, c *verdict.Comparison) {
	t.Unit, t.Margin, t.Declared, t.Fewest = c.Plan.Unit, c.Plan.Margin, c.Families.Workload, c.Fewest.Workload
	var toBaseline, toPrevious, undeclared []verdict.Pair
	for _, step := range t.Steps {
		if step.Name != t.Baseline && step.measured() {
			toBaseline = append(toBaseline, verdict.Pair{Baseline: t.Baseline, Other: step.Name})
		}
		if step.Previous == "" {
			continue
		}
		p := verdict.Pair{Baseline: step.Previous, Other: step.Name}
		toPrevious = append(toPrevious, p)
		if p.Baseline != t.Baseline && p.Other != t.Baseline {
			undeclared = append(undeclared, p)
		}
	}
	own, fewest, err := verdict.Pairs(rec, undeclared)
	if err != nil {
		return
	}
	t.Own, t.FewestOwn = len(own), fewest
	declared := slices.Concat(declaredIn(c), own)
	others := t.effects(s, rec, append(slices.Clone(toBaseline), toPrevious...))
	for i := range t.Steps {
		step := &t.Steps[i]
		if step.measured() && step.Name != t.Baseline {
			step.AgainstBaseline = between(t.Baseline, step.Name, declared, others)
		}
		if step.Previous != "" {
			step.AgainstPrevious = between(step.Previous, step.Name, declared, others)
		}
	}
	t.cliffEffects(rec, toBaseline)
}

func (s Step) measured() bool { return s.NotApplicable == "" }

// declaredIn are the verdicts by the declared metric.
func declaredIn(c *verdict.Comparison) []record.Verdict {
	return slices.DeleteFunc(slices.Clone(c.Verdicts), func(v record.Verdict) bool { return v.Metric != c.Plan.Metric })
}

// effects are those that have no word: of TPS and mean latency, over all cells and at one
// client, and of the overall TPS.
func (t *Table) effects(s *show.Numbers, rec *record.Record, pairs []verdict.Pair) []record.Verdict {
	quantities := []verdict.Quantity{{Metric: "tps"}, {Metric: "latency"}}
	if slices.ContainsFunc(t.Steps, func(step Step) bool { return step.OneClient != nil }) {
		quantities = append(quantities, verdict.Quantity{Metric: "latency", Clients: 1})
	}
	quantities = slices.DeleteFunc(quantities, func(q verdict.Quantity) bool { return q == verdict.Quantity{Metric: t.Metric} })
	all, err := verdict.Effects(rec, pairs, quantities)
	if err != nil || len(s.Workloads) < 2 {
		return all
	}
	overall, err := verdict.Overall(rec, pairs)
	if err != nil {
		return all
	}
	return append(all, overall...)
}

// between are all verdicts on one environment against another, each once.
func between(baseline, other string, lists ...[]record.Verdict) []record.Verdict {
	type about struct {
		workload, metric string
		clients          int
	}
	found, seen := []record.Verdict{}, map[about]bool{}
	for _, v := range slices.Concat(lists...) {
		if v.Baseline == other && v.Other == baseline {
			v = verdict.Turned(v)
		}
		key := about{v.Workload, v.Metric, v.Clients}
		if v.Baseline == baseline && v.Other == other && !seen[key] {
			found, seen[key] = append(found, v), true
		}
	}
	return found
}

// Beside are the effects of the table that are not among verdicts.
func (t *Table) Beside(verdicts []record.Verdict) []record.Verdict {
	if t == nil {
		return nil
	}
	type about struct {
		workload, metric, baseline, other string
		clients                           int
	}
	seen := map[about]bool{}
	isNew := func(v record.Verdict) bool {
		key := about{v.Workload, v.Metric, v.Baseline, v.Other, v.Clients}
		was := seen[key]
		seen[key] = true
		return !was
	}
	for _, v := range verdicts {
		isNew(v)
	}
	var all []record.Verdict
	for _, step := range t.Steps {
		for _, v := range slices.Concat(step.AgainstBaseline, step.AgainstPrevious) {
			if isNew(v) {
				all = append(all, v)
			}
		}
	}
	return all
}
