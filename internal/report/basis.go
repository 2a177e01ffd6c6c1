package report

import (
	"plinth/internal/chart"
	"plinth/internal/record"
)

// basisOf is what the numbers of an environment rest on. Nothing is known of one that
// was never up, and then no number is there that could rest on anything.
func basisOf(records []*record.Record, environment string) chart.Basis {
	for _, rec := range records {
		if e, found := rec.Environments[environment]; found && e.Basis() != string(chart.Measured) {
			return chart.Basis(e.Basis())
		}
	}
	return chart.Measured
}

func (f *Full) basis(environment string) chart.Basis {
	return basisOf([]*record.Record{f.rec}, environment)
}

// basis is what the effects of a pair rest on: the weaker of two.
func (c *comparison) basis(p pair) chart.Basis {
	if b := basisOf(c.records, p.other); b != chart.Measured {
		return b
	}
	return basisOf(c.records, p.baseline)
}
