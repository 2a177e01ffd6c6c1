package verdict

import (
	"slices"

	"plinth/internal/record"
)

// recovered is what a power cut did to the environments that are shown.
func (c *comparer) recovered() []record.Recovered {
	return c.rec.Summary.Recovered(c.baseline, append([]string{c.baseline}, c.shown...))
}

// recovered is what power cuts did to the environments that two records have in
// common: the baseline is that of the first.
func (c *betweener) recovered() []record.Recovered {
	var all []record.Recovered
	for i, side := range c.sides {
		var names []string
		for _, pair := range c.pairs {
			if !slices.Contains(names, pair[i]) {
				names = append(names, pair[i])
			}
		}
		for _, r := range side.rec.Summary.Recovered("", names) {
			r.Record, r.Baseline = side.name, i == 0
			all = append(all, r)
		}
	}
	return all
}
