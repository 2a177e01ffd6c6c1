package verdict

import (
	"cmp"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// order sorts verdicts as the experiment has it: by workload, environment, cell,
// then metric.
func (c *comparer) order(verdicts []record.Verdict) {
	cells := c.exp.Cells()
	slices.SortStableFunc(verdicts, func(a, b record.Verdict) int {
		return cmp.Or(
			cmp.Compare(c.workload(a.Workload), c.workload(b.Workload)),
			cmp.Compare(slices.Index(c.others, a.Other), slices.Index(c.others, b.Other)),
			cmp.Compare(place(cells, a), place(cells, b)),
			cmp.Compare(c.metric(a.Metric), c.metric(b.Metric)),
		)
	})
}

func (c *comparer) workload(name string) int {
	return slices.IndexFunc(c.exp.Workloads, func(w experiment.Workload) bool { return w.Name == name })
}

func (c *comparer) metric(name string) int {
	return slices.IndexFunc(c.metrics, func(m experiment.Metric) bool { return m.Name == name })
}

// place is where the first cell of a verdict stands in the matrix.
func place(cells []experiment.Cell, v record.Verdict) int {
	return slices.IndexFunc(cells, func(cell experiment.Cell) bool {
		if v.Cell != nil {
			return cell == *v.Cell
		}
		return cell.Workload == v.Workload && (v.Clients == 0 || cell.Clients == v.Clients && cell.Rate == v.Rate)
	})
}

// ranking orders three or more environments, workload by workload, by the first
// metric, as far as verdicts go. An environment's place is one more than the
// number of those that are known to be better; better than the baseline is then
// better than all that are worse than it. Environments that nothing tells apart
// share a place: one that is inconclusive against the baseline is behind nobody.
func (c *comparer) ranking(verdicts []record.Verdict) []Rank {
	if len(c.others) < 2 || c.look == nil {
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
	better, worse := 0, 0
	for _, word := range words {
		switch word {
		case record.Better:
			better++
		case record.Worse:
			worse++
		}
	}
	if better+worse == 0 {
		return nil // nothing is known, so there is no order
	}
	byPlace := map[int][]string{1 + better: {c.baseline}}
	for _, other := range c.others {
		place := 1
		if words[other] == record.Worse {
			place += better + 1 // and the baseline
		}
		byPlace[place] = append(byPlace[place], other)
	}
	var ranks []Rank
	for place := 1; place <= len(c.others)+1; place++ {
		if names := byPlace[place]; names != nil {
			ranks = append(ranks, Rank{workload, place, names})
		}
	}
	return ranks
}
