package verdict

import (
	"cmp"
	"slices"

	"plinth/internal/record"
)

// Rank is one place in the ranking of a workload, with the environments at that place, which no
// verdict separates. An environment that no verdict separates from those at several places is
// listed at each of them. If one is better than a second, and the second better than a third, the
// first ranks above the third, whatever the verdict on these two.
type Rank struct {
	Workload     string   `json:"workload"`
	Place        int      `json:"place"`
	Environments []string `json:"environments"`
}

// ranking orders three or more environments, workload by workload, by the first metric, as far as
// verdicts allow. If every verdict is against the baseline, that gives three groups: environments
// better than the baseline, the baseline, and worse ones.
func (c *comparer) ranking(verdicts []record.Verdict) []Rank {
	if len(c.shown) < 2 || c.look == nil {
		return nil
	}
	var ranks []Rank
	for _, w := range c.exp.Workloads {
		of := slices.DeleteFunc(slices.Clone(verdicts), func(v record.Verdict) bool { return v.Workload != w.Name || v.Metric != c.metrics[0].Name })
		ranks = append(ranks, orderOf(append([]string{c.baseline}, c.shown...), of).ranks(w.Name)...)
	}
	return ranks
}

// order holds the order of environments as far as the verdicts on a workload determine it.
type order struct {
	names []string                   // in the order in which they are listed
	above map[string]map[string]bool // the environments that are better, by each that has a verdict
}

// orderOf returns the order that verdicts determine, of those environments that have one.
func orderOf(names []string, verdicts []record.Verdict) order {
	o := order{above: map[string]map[string]bool{}}
	for _, v := range verdicts {
		o.enter(v)
	}
	o.follow()
	o.names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return o.above[name] == nil })
	return o
}

// enter adds a verdict. An invalid one says nothing.
func (o order) enter(v record.Verdict) {
	if v.Outcome == "" || v.Outcome == record.Unfit {
		return
	}
	for _, name := range []string{v.Baseline, v.Other} {
		if o.above[name] == nil {
			o.above[name] = map[string]bool{}
		}
	}
	switch v.Outcome {
	case record.Better:
		o.above[v.Baseline][v.Other] = true
	case record.Worse:
		o.above[v.Other][v.Baseline] = true
	}
}

// follow adds what follows from the verdicts: an environment that is better than a better one is better,
// too. Both effects are means over the same units, and add up.
func (o order) follow() {
	for middle := range o.above {
		for _, better := range o.above {
			if better[middle] {
				for name := range o.above[middle] {
					better[name] = true
				}
			}
		}
	}
}

// place returns the best place that an environment may have.
func (o order) place(name string) int { return 1 + len(o.above[name]) }

// separates reports whether one of two environments is better.
func (o order) separates(a, b string) bool { return o.above[a][b] || o.above[b][a] }

// ranks returns the places; none if all environments share the first one, or if verdicts contradict
// each other.
func (o order) ranks(workload string) []Rank {
	var places []int
	for _, name := range o.names {
		if o.above[name][name] {
			return nil
		}
		places = append(places, o.place(name))
	}
	slices.Sort(places)
	if places = slices.Compact(places); len(places) < 2 {
		return nil
	}
	var ranks []Rank
	for _, place := range places {
		ranks = append(ranks, Rank{workload, place, o.at(place)})
	}
	return ranks
}

// at returns the environments at a place: those that have it, and then those that have a better one but
// that no verdict separates from any at this place.
func (o order) at(place int) []string {
	var at, others []string
	for _, name := range o.names {
		switch p := o.place(name); {
		case p == place:
			at = append(at, name)
		case p < place:
			others = append(others, name)
		}
	}
	isOpen := func(name string) int {
		if slices.ContainsFunc(o.names, func(other string) bool { return o.separates(name, other) }) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(at, func(a, b string) int { return cmp.Compare(isOpen(a), isOpen(b)) })
	// The last ones first: of two that are separated, only the worse one may be listed here.
	slices.SortStableFunc(others, func(a, b string) int { return cmp.Compare(o.place(b), o.place(a)) })
	for _, name := range others {
		if !slices.ContainsFunc(at, func(other string) bool { return o.separates(name, other) }) {
			at = append(at, name)
		}
	}
	return at
}
