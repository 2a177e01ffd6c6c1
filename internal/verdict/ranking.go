package verdict

import "plinth/internal/record"

// Rank is one place in the ranking of a workload, and the environments there that
// no verdict tells apart. One that no verdict tells apart from environments at
// several places stands at each of them.
type Rank struct {
	Workload     string   `json:"workload"`
	Place        int      `json:"place"`
	Environments []string `json:"environments"`
}

// ranking orders three or more environments, workload by workload, by the first
// metric, as far as verdicts go. All of them are against the baseline, so they know
// three groups: what is better than it, the baseline, and what is worse; better
// than the baseline is better than all that are worse than it. Equivalent and
// inconclusive are told apart from none of the three. What is invalid has no place.
func (c *comparer) ranking(verdicts []record.Verdict) []Rank {
	if len(c.shown) < 2 || c.look == nil {
		return nil
	}
	var ranks []Rank
	for _, w := range c.exp.Workloads {
		words := map[string]record.Word{}
		for _, v := range verdicts {
			if v.Workload == w.Name && v.Metric == c.metrics[0].Name {
				words[v.Other] = v.Word
			}
		}
		ranks = append(ranks, c.places(w.Name, words)...)
	}
	return ranks
}

func (c *comparer) places(workload string, words map[string]record.Word) []Rank {
	better, worse := c.having(words, record.Better), c.having(words, record.Worse)
	if len(better)+len(worse) == 0 {
		return nil // nothing is known, so there is no order
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

// having are the environments with one of these words, in the order of the file.
func (c *comparer) having(words map[string]record.Word, these ...record.Word) []string {
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
