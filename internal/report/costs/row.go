package costs

import (
	"fmt"

	"plinth/internal/cost"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
)

// rows returns a table a workload.
func rows(s *cost.Sheet) []prose.Table {
	var tables []prose.Table
	interval := "95 % interval"
	if len(s.Predicted) > 0 { // theirs are of 90 %, which a note says
		interval = "interval"
	}
	for _, of := range places(s) {
		c := s.Currency
		t := prose.Table{Title: of.name, Columns: []prose.Column{
			{Title: "Environment"}, {Title: c + " a month", Right: true}, {Title: "TPS", Right: true}, {Title: "p99 ms", Right: true},
			{Title: c + " a million", Right: true}, {Title: interval, Right: true}, {Title: "TPS a " + c, Right: true},
		}}
		for _, r := range of.rows {
			t.Rows = append(t.Rows, []string{
				named(s, r.Environment), amount(r.Month), phrase.Count(r.TPS.Value), milliseconds(r.P99), small(r.Million), span(r.Million), short(r.PerMoney),
			})
		}
		t.Rows = append(t.Rows, predictedRows(s, of)...)
		tables = append(tables, t)
	}
	return tables
}

func rowsNote(s *cost.Sheet) string {
	c := s.Currency
	return fmt.Sprintf("%s a million: per million transactions, if the load is as measured all month (cost: {utilisation: ...} for less). TPS a %s: for each %s a month; 1,000 divided by it is the price of 1,000 TPS. A hyphen: the price is not known, which is not zero.", c, c, c)
}
