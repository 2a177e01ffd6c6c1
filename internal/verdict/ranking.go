package verdict

import "plinth/internal/record"

// Rank is one place in the ranking of a workload, with the environments at that place, which no
// verdict separates. An environment that no verdict separates from those at several places is
// listed at each of them.
type Rank struct {
	Workload     string   `json:"workload"`
	Place        int      `json:"place"`
	Environments []string `json:"environments"`
}

// ranking orders three or more environments, workload by workload, by the first metric,
// as far as verdicts allow. All verdicts are against the baseline, so there are three
// groups: environments better than the baseline, the baseline, and worse ones; those
// better than the baseline are better than all that are worse. Equivalent and
// inconclusive environments are not separated from any of the three. Invalid ones have no
// place.
func (c *comparer) ranking(verdicts []record.Verdict) []Rank {
	if len(c.shown) < 2 || c.look == nil {
		return nil
	}
	var ranks []Rank
	for _, w := range c.exp.Workloads {
		words := map[string]record.Outcome{}
		for _, v := range verdicts {
			if v.Workload == w.Name && v.Metric == c.metrics[0].Name {
				words[v.Other] = v.Outcome
			}
		}
		ranks = append(ranks, c.places(w.Name, words)...)
	}
	return ranks
}

func (c *comparer) places(workload string, words map[string]record.Outcome) []Rank {
	better, worse := c.having(words, record.Better), c.having(words, record.Worse)
	if len(better)+len(worse) == 0 {
		return nil // nothing is known, so no order
	}
	open := c.having(words, record.Equivalent, record.Inconclusive)
	var ranks []Rank
	place := 1
	for _, group := range [][]string{better, {c.baseline}, worse} {
		if len(group) > 0 {
			ranks = append(ranks, Rank{workload, place, append(group, open...)})
		}
		place += len(group)
	}
	return ranks
}

// having returns the environments with one of these outcomes, in the order of the file.
func (c *comparer) having(words map[string]record.Outcome, these ...record.Outcome) []string {
	var names []string
	for _, other := range c.shown {
		for _, word := range these {
			if words[other] == word {
				names = append(names, other)
			}
		}
	}
	return names
}
