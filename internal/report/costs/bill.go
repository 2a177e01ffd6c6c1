package costs

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/cost"
	"plinth/internal/price"
	"plinth/internal/prose"
)

// bills lists the items of each environment.
func bills(s *cost.Sheet) prose.Document {
	d := prose.Document{prose.Heading("Bills")}
	var notes said
	for _, e := range billed(s) {
		t := prose.Table{Title: fmt.Sprintf("%s: %s (%s, %s, %s)", e.Name, total(e.Bill.Bill), e.Bill.Book, e.Bill.Region, e.Bill.Date), Columns: []prose.Column{
			{Title: "Item"}, {Title: "Quantity", Right: true}, {Title: "Unit"}, {Title: "Price", Right: true}, {Title: s.Currency + "/month", Right: true},
		}}
		for _, i := range e.Bill.Items {
			t.Rows = append(t.Rows, []string{prose.Cut(i.What, 36), quantity(i.Quantity), i.Unit, unitPrice(i.Price), amount(i.Month)})
			if i.Note != "" {
				notes.add(e.Name, i.What+": "+i.Note)
			}
		}
		for _, text := range e.Bill.Assumes {
			notes.add(e.Name, "assumed: "+text)
		}
		d.Add(t)
	}
	if len(notes.texts) > 0 {
		d.Add(notes.list())
	}
	return d
}

// billed returns the environments, and those with predicted disks.
func billed(s *cost.Sheet) []cost.Environment {
	all := s.Environments[:len(s.Environments):len(s.Environments)]
	for _, p := range s.Predicted {
		all = append(all, cost.Environment{Name: p.Name + " (predicted)", Bill: p.Bill})
	}
	return all
}

// said collects texts and the environments to which they apply.
type said struct {
	texts []string
	of    map[string][]string
}

func (s *said) add(environment, text string) {
	if s.of == nil {
		s.of = map[string][]string{}
	}
	if s.of[text] == nil {
		s.texts = append(s.texts, text)
	}
	if !slices.Contains(s.of[text], environment) {
		s.of[text] = append(s.of[text], environment)
	}
}

func (s *said) list() prose.List {
	var lines prose.List
	for _, text := range s.texts {
		lines = append(lines, strings.Join(s.of[text], ", ")+": "+text)
	}
	return lines
}

// total is the sum of a bill, or what is known of it.
func total(b price.Bill) string {
	switch {
	case b.Month().Known():
		return b.Month().In(b.Currency) + " a month"
	case b.Least() > 0:
		return "more than " + b.Least().In(b.Currency) + " a month"
	}
	return "cost unknown"
}
