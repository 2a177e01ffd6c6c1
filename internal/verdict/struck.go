package verdict

import (
	"slices"

	"plinth/internal/record"
)

// struck is what the environments that are shown kept of what they had acknowledged.
func (c *comparer) struck() []record.Struck {
	return c.rec.Summary.Struck(c.baseline, append([]string{c.baseline}, c.shown...))
}

// struck is the same of the environments that two records have in common: the
// baseline is that of the first.
func (c *betweener) struck() []record.Struck {
	var all []record.Struck
	for i, side := range c.sides {
		var names []string
		for _, pair := range c.pairs {
			if !slices.Contains(names, pair[i]) {
				names = append(names, pair[i])
			}
		}
		for _, r := range side.rec.Summary.Struck("", names) {
			r.Record, r.Baseline = side.name, i == 0
			all = append(all, r)
		}
	}
	return all
}
