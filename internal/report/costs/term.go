package costs

import (
	"plinth/internal/cost"
	"plinth/internal/prose"
)

// otherTerms shows what environments cost if their machines are paid in another way.
func otherTerms(s *cost.Sheet) prose.Document {
	t := prose.Table{Columns: []prose.Column{
		{Title: "Environment"}, {Title: "Term"}, {Title: s.Currency + " a month", Right: true},
	}}
	if len(s.Rows) > 0 {
		t.Columns = append(t.Columns, prose.Column{Title: "Workload"}, prose.Column{Title: s.Currency + " a million", Right: true}, prose.Column{Title: "95 % interval", Right: true})
	}
	for _, e := range s.Environments {
		for _, term := range e.Terms {
			if len(s.Rows) == 0 {
				t.Rows = append(t.Rows, []string{e.Name, term.Name, amount(term.Month)})
			}
			for _, r := range s.Rows {
				if r.Environment == e.Name {
					month, million := r.Under(term, e.Bill)
					t.Rows = append(t.Rows, []string{e.Name, term.Name, amount(month), loadName(r.Workload, r.Cell), small(million), span(million)})
				}
			}
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return prose.Document{prose.Heading("Paid in another way"), t}
}
