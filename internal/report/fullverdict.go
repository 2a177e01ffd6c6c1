package report

import (
	"fmt"
	"strconv"

	"plinth/internal/prose"
)

// verdicts is the effects as pictures and as tables, and how they were decided.
func (f *Full) verdicts() prose.Document {
	c := f.comparison
	if c == nil {
		return nil
	}
	var d prose.Document
	d.Add(f.forests()...)
	c.addTables(&d)
	d.Add(c.notes.lines())
	f.show.addLost(&d, "")
	c.addDecided(&d)
	d.Add(prose.List(c.chances()))
	return d
}

// chances are the p values of what was to be decided.
func (c *comparison) chances() []string {
	var lines []string
	for _, p := range c.pairs {
		for _, r := range p.verdicts {
			if c.decides(r.Metric) && r.hasNumber() && r.Level > 0 {
				lines = append(lines, fmt.Sprintf("p of %s, %s against %s: %s (two-sided, of no effect, not corrected)", r.Workload, p.other, p.baseline, strconv.FormatFloat(r.P, 'g', 2, 64)))
			}
		}
	}
	return lines
}
