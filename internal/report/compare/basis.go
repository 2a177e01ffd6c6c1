package compare

import (
	"plinth/internal/chart"
	"plinth/internal/record"
)

// BasisOf is what the numbers of an environment rest on. Nothing is known of one that
// was never up, and then no number is there that could rest on anything.
func BasisOf(records []*record.Record, environment string) chart.Basis {
	for _, rec := range records {
		if e, found := rec.Environments[environment]; found && e.Basis() != string(chart.Measured) {
			return chart.Basis(e.Basis())
		}
	}
	return chart.Measured
}

// basis is what the effects of a pair rest on: the weaker of two.
func (c *Report) basis(p pair) chart.Basis {
	if b := BasisOf(c.records, p.other); b != chart.Measured {
		return b
	}
	return BasisOf(c.records, p.baseline)
}
