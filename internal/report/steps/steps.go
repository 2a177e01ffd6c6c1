package steps

import (
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/report/show"
	"plinth/internal/verdict"
)

// Table is a step table: each environment adds a change to the previous one, and each has its
// effects.
//
// The form is that of Iwan Setiawan, "Bare Metal vs. AWS RDS: CPU/NUMA Pinning and HugePages",
// Full Tuning Journey.
type Table struct {
	Metric   string  `json:"metric"` // the metric with verdicts
	Margin   float64 `json:"margin"` // a share: differences within it do not matter
	Unit     string  `json:"unit"`   // what n counts: "block" or "repeat"
	Baseline string  `json:"baseline"`
	// Declared is the number of declared comparisons, which share an error of 5 %: those against the
	// baseline or, with compare: all, those of every pair. Own is the number of further comparisons
	// against the step before, which share another 5 %. Fewest and FewestOwn are the minimum numbers of
	// units for a verdict of either kind.
	Declared  int    `json:"declared"`
	Own       int    `json:"own"`
	Fewest    int    `json:"fewest"`
	FewestOwn int    `json:"fewest_own"`
	Steps     []Step `json:"steps"`
}

// Step is one step with its means and effects.
type Step struct {
	Name   string `json:"name"`
	Change string `json:"change,omitempty"` // its change, in a few words
	// NotApplicable is the reason why the step was not measured: it has no effect on this
	// machine.
	NotApplicable string         `json:"not_applicable,omitempty"`
	Averages      []show.Average `json:"averages"`             // arithmetic means over cells, by workload
	OneClient     []show.Average `json:"one_client,omitempty"` // of the cells with one client
	Overall       float64        `json:"overall_tps"`          // mean of the workloads' averages; 0 if one is missing
	// Previous is the last measured step before it; "" for the first.
	Previous string `json:"previous,omitempty"`
	// AgainstPrevious and AgainstBaseline hold the effects: on the declared metric with
	// verdicts, on TPS and latencies without. Those without a workload are on the overall TPS.
	AgainstPrevious []record.Verdict `json:"against_previous"`
	AgainstBaseline []record.Verdict `json:"against_baseline"`
	Cliffs          []Cliff          `json:"cliffs,omitempty"`
}

// Of returns the step table of a record; nil if it has no steps, or if s shows only some of its
// environments. c compares all of them; it may be nil.
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
	for _, l := range rec.Summary.LeftOut { // steps that were not measured keep their place
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

// oneClient returns the means at one client; nil if there are none, with a rate, or if there is
// no other client count.
func oneClient(e show.Environment) []show.Average {
	for _, r := range e.Rows {
		if r.Clients == 1 && r.Rate == 0 && len(e.Rows) > 1 {
			return r.Values
		}
	}
	return nil
}

// compare adds the effects of the steps. It ignores the error of a record that cannot be
// compared: the warnings contain it.
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
		if p.Baseline != t.Baseline && p.Other != t.Baseline && !s.Experiment.ComparesAll() {
			undeclared = append(undeclared, p)
		}
	}
	own, fewest, err := verdict.Pairs(rec, undeclared)
	if err != nil {
		return
	}
	t.Own, t.FewestOwn = len(own), fewest
	if s.Experiment.ComparesAll() {
		t.FewestOwn = t.Fewest
	}
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

// comparesSteps reports whether a step other than the baseline is compared with the one before it, which is
// not the baseline either.
func (t *Table) comparesSteps() bool {
	return slices.ContainsFunc(t.Steps, func(step Step) bool {
		return len(step.AgainstPrevious) > 0 && step.Previous != t.Baseline && step.Name != t.Baseline
	})
}

// declaredIn returns the verdicts by the declared metric.
func declaredIn(c *verdict.Comparison) []record.Verdict {
	return slices.DeleteFunc(slices.Concat(c.Verdicts, c.OtherPairs), func(v record.Verdict) bool { return v.Metric != c.Plan.Metric })
}

// effects returns the effects without a verdict: on TPS and mean latency, over all cells and at
// one client, and on the overall TPS.
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

// between returns the verdicts on one environment against another, each once.
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

// Beside returns the effects of the table that are not among verdicts.
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
