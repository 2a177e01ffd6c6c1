package page

import (
	"strings"

	"plinth/internal/record"
	"plinth/internal/report"
	"plinth/internal/verdict"
)

// NewComparison makes the page of two records compared with each other, for plinth
// serve. Runs second by second are in the pages of the records.
func NewComparison(c *verdict.Comparison, a, b *record.Record) (*Page, error) {
	full, err := report.NewComparison(c, a, b)
	if err != nil {
		return nil, err
	}
	return &Page{full, Data{
		Schema: Schema, Record: strings.Join(c.Records, " and "), Question: full.Question, State: record.Complete,
		Environments: []Environment{}, Runs: []Run{}, Telling: []string{}, Details: []Detail{}, Served: true,
	}}, nil
}
