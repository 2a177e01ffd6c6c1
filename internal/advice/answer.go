package advice

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"plinth/internal/cost"
	"plinth/internal/experiment"
	"plinth/internal/price"
)

// answer answers a rule. Why says why the record has no answer or, beside choices, why it has none for some workloads.
func (s *study) answer(r Rule) (choices []Choice, why string, err error) {
	if r.Of == policies {
		return s.losses(r)
	}
	workloads := s.workloads(r.Of)
	switch {
	case r.Of == mixed && (len(s.workloads(writes)) == 0 || len(s.workloads(reads)) == 0):
		return nil, "needs " + r.Needs, nil
	case r.Of == bursts:
		workloads = slices.DeleteFunc(workloads, func(w string) bool { return !s.bursts(w) })
	}
	if len(workloads) == 0 {
		return nil, "needs " + r.Needs, nil
	}
	choices, why, err = s.each(r, workloads)
	switch {
	case r.Of == mixed && why != "":
		return nil, why, err // an environment for some of the workloads is none for all
	case r.Of == mixed && err == nil:
		return together(choices)
	}
	return choices, why, err
}

// each chooses for each workload, and says why some have no choice.
func (s *study) each(r Rule, workloads []string) (choices []Choice, why string, err error) {
	without := map[string][]string{} // workloads without a choice, by the reason
	var reasons []string
	for _, w := range workloads {
		c, reason, err := s.choose(r, w, nil)
		switch {
		case err != nil:
			return nil, "", err
		case reason == "":
			choices = append(choices, c)
			continue
		case without[reason] == nil:
			reasons = append(reasons, reason)
		}
		without[reason] = append(without[reason], w)
	}
	if len(reasons) == 1 && len(choices) == 0 {
		return nil, reasons[0], nil
	}
	for i, reason := range reasons {
		reasons[i] = "under " + join(without[reason]) + ", " + reason
	}
	return choices, strings.Join(reasons, "; "), nil
}

// together returns the choice that is as good as any other one under all workloads, open if it is open under one of
// them. There is no mean over workloads: it would hide what one of them loses.
func together(all []Choice) (choices []Choice, why string, err error) {
	good := func(c Choice, environment string) bool {
		return c.Environment == environment || slices.ContainsFunc(c.Rivals, func(r Rival) bool { return r.Environment == environment && r.Standing == Same })
	}
	var depends, workloads []string
	for _, c := range all {
		depends, workloads = append(depends, c.Environment+" under "+c.Workload), append(workloads, c.Workload)
	}
	first := slices.IndexFunc(all, func(c Choice) bool { return c.Sure == Decided })
	if first > 0 { // a decided choice is shown before one that others equal
		all = append([]Choice{all[first]}, slices.Delete(slices.Clone(all), first, first+1)...)
	}
	for _, c := range all {
		if slices.ContainsFunc(all, func(o Choice) bool { return !good(o, c.Environment) }) {
			continue
		}
		for _, o := range all {
			if o.Sure == Open {
				c.Sure = Open
				c.Change = append(slices.Clone(c.Change), "under "+o.Workload+", it is open")
			}
		}
		c.Notes = append(slices.Clone(c.Notes), "none performs better under "+join(workloads))
		return []Choice{c}, "", nil
	}
	return nil, "it depends: " + join(depends), nil
}

// candidate is an environment that may be chosen.
type candidate struct {
	cost.Row
	value  float64 // of the metric
	merit  float64 // more is better: in a rule's rank
	failed Out     // if it does not meet a condition
	// perhaps says that no environment surely meets the conditions, and this one may.
	perhaps bool
}

// choose picks the environment of a workload. Further leaves environments out for a reason; it may be nil.
func (s *study) choose(r Rule, workload string, further func(environment string) string) (Choice, string, error) {
	m := s.metric
	switch r.Rank {
	case "p99":
		m = builtin("p99")
	case "million":
		m = builtin("tps")
	}
	var in, out []candidate
	for _, row := range s.sheet.Rows {
		if row.Workload != workload {
			continue
		}
		c := s.candidate(r, row, m)
		if further != nil && c.failed.Why == "" {
			c.failed.Why = further(row.Environment)
		}
		if c.failed.Why != "" {
			out = append(out, c)
		} else {
			in = append(in, c)
		}
	}
	if len(in) == 0 {
		in, out = s.perhaps(out)
	}
	if len(in) == 0 {
		return Choice{}, none(out, r), nil
	}
	slices.SortStableFunc(in, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.merit, a.merit), cmp.Compare(b.TPS.Value, a.TPS.Value))
	})
	d := decision{study: s, rule: r, workload: workload, metric: m, in: in, out: out}
	if r.Rank == "p99" && len(in) < 2 && !s.beside {
		return Choice{}, "needs " + r.Needs, nil
	}
	c, err := d.make()
	return c, "", err
}

// perhaps returns the environments that meet the conditions on average, and may do so, and the others.
func (s *study) perhaps(out []candidate) (in, others []candidate) {
	for _, c := range out {
		if c.failed.Maybe && c.P99.Value <= float64(s.P99) {
			c.perhaps, c.failed = true, Out{Environment: c.Environment}
			in = append(in, c)
		} else {
			others = append(others, c)
		}
	}
	return in, others
}

func (s *study) candidate(r Rule, row cost.Row, m experiment.Metric) candidate {
	c := candidate{Row: row, value: s.mean(row.Environment, row.Workload, m), failed: Out{Environment: row.Environment}}
	c.merit = r.merit(m, c.value, row.Month, row.Million)
	switch {
	case math.IsNaN(c.value), c.value == 0 && !m.Share:
		c.failed.Why = "its " + m.Title + " is not known"
	case r.Rank == "million" && !row.Million.Known():
		c.failed.Why = "its cost is not known"
	}
	for _, f := range r.Among {
		if c.failed.Why == "" {
			c.failed.Why, c.failed.Maybe = filters[f](s, row)
		}
	}
	return c
}

// merit returns by what environments are ranked: more is better.
func (r Rule) merit(m experiment.Metric, value float64, month price.Amount, million cost.Range) float64 {
	switch {
	case r.Rank == "million":
		return -million.Value
	case r.Rank == "month" && month.Known():
		return -float64(month)
	case r.Rank == "month":
		return math.Inf(-1)
	case !m.Higher:
		return -value
	}
	return value
}

// none says why no environment is left, in the words of the first one that was left out; of each if they
// differ and are few.
func none(out []candidate, r Rule) string {
	if len(out) == 0 {
		return "needs " + r.Needs
	}
	text := "no environment: "
	var said []string
	for _, c := range out {
		if !slices.Contains(said, c.failed.Why) {
			if len(said) > 0 {
				text += "; "
			}
			said = append(said, c.failed.Why)
			text += c.Environment
			for _, other := range out {
				if other.Environment != c.Environment && other.failed.Why == c.failed.Why {
					text += ", " + other.Environment
				}
			}
			text += ": " + c.failed.Why
		}
	}
	return text
}
