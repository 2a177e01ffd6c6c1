// Package costs reports bills, what throughput costs, and price books.
package costs

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/cost"
	"plinth/internal/price"
	"plinth/internal/prose"
)

// Sheet returns what environments cost, and what their throughput costs.
func Sheet(s *cost.Sheet, nines []cost.Nine) prose.Document {
	d := prose.Document{}
	if s.Record != "" {
		d.Add(prose.Heading(s.Record))
	}
	if len(s.Rows) > 0 {
		d.Add(prose.List(answers(s)))
		for _, t := range rows(s) {
			d.Add(t)
		}
		d.Add(prose.Paragraph(rowsNote(s)))
		d.Add(predicted(s)...)
		d.Add(fronts(s)...)
		d.Add(evens(s)...)
		d.Add(nine(nines, s.Currency)...)
		d.Add(hours(s)...)
	}
	d.Add(bills(s)...)
	d.Add(otherTerms(s)...)
	if len(s.Notes) > 0 {
		d.Add(prose.Heading("What weakens these numbers"), prose.List(s.Notes))
	}
	return d
}

// answers says, for each workload, which environment costs least for each thing.
func answers(s *cost.Sheet) []string {
	var lines []string
	for _, of := range places(s) {
		var best cost.Row
		for _, r := range of.rows {
			if r.Million.Known() && (!best.Million.Known() || r.Million.Value < best.Million.Value) {
				best = r
			}
		}
		if best.Million.Known() && len(of.rows) > 1 {
			lines = append(lines, fmt.Sprintf("%s: %s costs least per transaction: %s a million (%s), %s a month",
				of.name, best.Environment, price.Amount(best.Million.Value).In(s.Currency), interval(best.Million, s.Currency), best.Month.In(s.Currency)))
		}
	}
	return lines
}

// place is one workload or cell, with its rows.
type place struct {
	name string
	rows []cost.Row
}

func places(s *cost.Sheet) []place {
	var all []place
	for _, r := range s.Rows {
		name := loadName(r.Workload, r.Cell)
		at := slices.IndexFunc(all, func(p place) bool { return p.name == name })
		if at < 0 {
			all, at = append(all, place{name: name}), len(all)
		}
		all[at].rows = append(all[at].rows, r)
	}
	return all
}

// named returns an environment with its basis, unless it was measured.
func named(s *cost.Sheet, name string) string {
	for _, e := range s.Environments {
		if e.Name == name && e.Basis != "" && e.Basis != "measured" {
			return name + " (" + e.Basis + ")"
		}
	}
	return name
}

// loadName returns the name of a workload, with its cell if it is one.
func loadName(workload, cell string) string {
	return strings.TrimSpace(workload + " " + strings.TrimPrefix(cell, workload+"/"))
}
