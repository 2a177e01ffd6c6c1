package advice

import (
	"fmt"
	"math"
	"slices"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
	"plinth/internal/experiment/encode"
	"plinth/internal/hint"
	"plinth/internal/record"
)

// Next is an experiment that would decide an open answer.
type Next struct {
	Name         string        `json:"name"` // of the rule
	Workload     string        `json:"workload"`
	Environments []string      `json:"environments"` // the chosen one first
	Repeats      int           `json:"repeats"`
	Time         time.Duration `json:"time_ns"` // of its runs, without the loading of datasets
	// Cost is that of the environments' bills for this time; 0 if they are not known.
	Cost float64 `json:"cost"`
	// Why says why there is no experiment; then the numbers are zero.
	Why string `json:"why,omitempty"`

	metric string
}

// The limits of the repeats of a next experiment.
const (
	fewestRepeats = 8  // that can decide between a few environments
	mostRepeats   = 60 // beyond which longer runs are the better way
)

// next returns an experiment for each open choice. Choices with the same environments need only one.
func (s *study) next(answers []Answer) []Next {
	var all []Next
	for _, a := range answers {
		for _, c := range a.Choices {
			if c.Sure != Open {
				continue
			}
			n := s.decide(a, c)
			same := func(o Next) bool {
				return o.Workload == n.Workload && o.metric == n.metric && slices.Equal(slices.Sorted(slices.Values(o.Environments)), slices.Sorted(slices.Values(n.Environments)))
			}
			if !slices.ContainsFunc(all, same) {
				all = append(all, n)
			}
		}
	}
	return all
}

// decide returns the experiment that would decide a choice: the chosen environment, and those that may be as good.
func (s *study) decide(a Answer, c Choice) Next {
	n := Next{Name: a.Name, Workload: c.Workload, Environments: []string{c.Environment}, metric: c.Metric}
	repeats := fewestRepeats
	if a.has("p99") {
		repeats = max(repeats, 2*s.Experiment.Repeats) // twice as many blocks narrow an interval by a third
	}
	for _, r := range c.Rivals {
		if r.Standing == Unknown || a.has("p99") && c.P99.High > float64(s.P99) { // it takes the place of one that is over the limit
			n.Environments = append(n.Environments, r.Environment)
			repeats = max(repeats, s.repeatsFor(a.Rank, c, r))
		}
	}
	for _, o := range c.Out {
		if o.Maybe {
			n.Environments = append(n.Environments, o.Environment)
		}
	}
	switch {
	case s.Record.Import != nil:
		n.Why = "others measured these numbers: a verdict needs both environments in one experiment of plinth"
		return n
	case slices.ContainsFunc(n.Environments, func(e string) bool { return s.Record.Environments[e].Kind == record.BasisImported }):
		n.Why = "it has environments that others measured"
		return n
	case repeats > mostRepeats:
		n.Why = fmt.Sprintf("it would take more than %d repeats at this variation; longer runs vary less", mostRepeats)
		return n
	}
	n.Repeats = repeats
	n.Time, n.Cost = s.takes(n)
	return n
}

// repeatsFor returns how many repeats would decide between two environments if the variation and the effect stay
// as they are: the width of an interval falls with the root of their number.
func (s *study) repeatsFor(rank string, chosen Choice, rival Rival) int {
	v := rival.Verdict
	if v.N < 2 {
		return fewestRepeats
	}
	low, high, effect := v.Low, v.High, v.Effect
	if !v.Difference {
		low, high, effect = math.Log1p(low), math.Log1p(high), math.Log1p(effect)
	}
	half, away := (high-low)/2, math.Abs(effect)
	room := math.Max(away, float64(s.Experiment.Margin)-away) // to zero, or to the margin for equivalence
	if rank == "million" {
		room = math.Abs(math.Log(rival.Million.Value / chosen.Million.Value)) // to where a transaction costs the same
	}
	if !(room > 0) || math.IsNaN(half) {
		return mostRepeats + 1
	}
	// A tenth more, because the interval that is wanted must end before zero, not at it.
	units := 1.1 * float64(v.N) * (half / room) * (half / room)
	each := 1 // unit in a repeat; with the repeat itself as the unit, the cells do not count
	if plan := s.Record.Summary.Plan; plan == nil || plan.Unit != "repeat" {
		each = max(1, s.cells(chosen.Workload))
	}
	return int(math.Ceil(min(units/float64(each), mostRepeats+1)))
}

// takes returns how long the runs of an experiment take, by those of the record, and what the environments
// cost in that time.
func (s *study) takes(n Next) (time.Duration, float64) {
	total, runs := 0.0, 0.0
	for i := range s.counted {
		r := &s.counted[i]
		if r.Workload != n.Workload || !slices.Contains(n.Environments, r.Environment) {
			continue
		}
		total += r.Took(s.Experiment.Warmup.Std())
		runs++
	}
	if runs == 0 {
		return 0, 0
	}
	took := total / runs * float64(n.Repeats*s.cells(n.Workload)*len(n.Environments))
	cost := 0.0
	for _, e := range n.Environments {
		row, _ := s.row(e, n.Workload)
		cost += float64(row.Month) / s.hours(e) * took / 3600
	}
	if math.IsNaN(cost) {
		cost = 0
	}
	return time.Duration(took * float64(time.Second)).Round(time.Second), cost
}

// hours returns the hours of a month in the bill of an environment.
func (s *study) hours(environment string) float64 {
	for _, e := range s.sheet.Environments {
		if e.Name == environment && e.Bill != nil {
			return e.Bill.Hours()
		}
	}
	return math.NaN() // it has no bill
}

// File returns the experiment file that would decide the open choices of a rule.
func File(in Input, name string) ([]byte, error) {
	if _, err := FindRule(name); err != nil {
		return nil, err
	}
	s, err := newStudy(in)
	if err != nil {
		return nil, err
	}
	a, err := s.advise()
	if err != nil {
		return nil, err
	}
	var all []Next
	for _, answer := range a.Answers {
		for _, c := range answer.Choices {
			if answer.Name == name && c.Sure == Open {
				all = append(all, s.decide(answer, c))
			}
		}
	}
	possible := slices.DeleteFunc(slices.Clone(all), func(n Next) bool { return n.Why != "" })
	known := "plinth advise --why " + name + " shows what is known"
	switch {
	case len(all) == 0:
		return nil, hint.Errorf(known, "no experiment is needed for %s: it is not open", name)
	case len(possible) == 0:
		return nil, hint.Errorf(known, "cannot write an experiment for %s: %s", name, all[0].Why)
	}
	return in.write(possible)
}

// write writes an experiment file: the record's own experiment with the open environments and workloads alone.
func (in Input) write(all []Next) ([]byte, error) {
	e, err := in.Record.Experiment()
	if err != nil {
		return nil, err
	}
	var environments, workloads []string
	changed := *e
	changed.Repeats = 0
	for _, n := range all {
		environments, workloads = append(environments, n.Environments...), append(workloads, n.Workload)
		changed.Repeats = max(changed.Repeats, n.Repeats)
	}
	first := all[0]
	changed.Name = "decide-" + first.Name
	changed.Question = fmt.Sprintf("Is %s better than %s under %s?", first.Environments[0], hint.Choice(first.Environments[1:]), first.Workload)
	if len(first.Environments) == 1 {
		changed.Question = fmt.Sprintf("Is the p99 of %s within the limit under %s?", first.Environments[0], first.Workload)
	}
	changed.Environments = slices.DeleteFunc(slices.Clone(e.Environments), func(o experiment.Environment) bool { return !slices.Contains(environments, o.Name) })
	changed.Workloads = slices.DeleteFunc(slices.Clone(e.Workloads), func(w experiment.Workload) bool { return !slices.Contains(workloads, w.Name) })
	changed.Baseline, changed.Metric = first.Environments[0], first.metric
	return file(changed, first.Name)
}

// file returns the file of an experiment that was made from that of a record, to decide the answer of a name.
func file(e experiment.Experiment, name string) ([]byte, error) {
	e.Stop = "end" // a decision on TPS would be too early for one on costs or on p99
	e.Compare, e.Steps, e.Ablate = nil, nil, ""
	e.Form, e.Quick, e.Published = "", experiment.Form{}, experiment.Form{}
	e.Seed, e.SeedChosen = 0, false
	text := encode.YAML(&e)
	if _, _, err := decode.Parse("the experiment", text, "", nil); err != nil {
		return nil, fmt.Errorf("cannot write an experiment for %s: %w", name, err)
	}
	return text, nil
}
