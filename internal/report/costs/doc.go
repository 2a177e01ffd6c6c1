// Package costs reports bills, what throughput costs, and price books.
package costs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/cost"
	"plinth/internal/price"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
	"plinth/internal/unit"
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
		d.Add(fronts(s)...)
		d.Add(evens(s)...)
		d.Add(nine(nines, s.Currency)...)
		d.Add(hours(s)...)
	}
	d.Add(bills(s)...)
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
				of.name, best.Environment, Money(best.Million.Value, s.Currency), interval(best.Million, s.Currency), Money(float64(best.Month), s.Currency)))
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
		name := strings.TrimSpace(r.Workload + " " + strings.TrimPrefix(r.Cell, r.Workload+"/"))
		at := slices.IndexFunc(all, func(p place) bool { return p.name == name })
		if at < 0 {
			all, at = append(all, place{name: name}), len(all)
		}
		all[at].rows = append(all[at].rows, r)
	}
	return all
}

// rows returns a table a workload.
func rows(s *cost.Sheet) []prose.Table {
	var tables []prose.Table
	for _, of := range places(s) {
		c := s.Currency
		t := prose.Table{Title: of.name, Columns: []prose.Column{
			{Title: "Environment"}, {Title: c + " a month", Right: true}, {Title: "TPS", Right: true}, {Title: "p99 ms", Right: true},
			{Title: c + " a million", Right: true}, {Title: "95 % interval", Right: true}, {Title: "TPS a " + c, Right: true},
		}}
		for _, r := range of.rows {
			t.Rows = append(t.Rows, []string{
				named(s, r.Environment), amount(r.Month), phrase.Count(r.TPS.Value), milliseconds(r.P99), small(r.Million), span(r.Million), short(r.PerMoney),
			})
		}
		tables = append(tables, t)
	}
	return tables
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

func rowsNote(s *cost.Sheet) string {
	c := s.Currency
	return fmt.Sprintf("%s a million: per million transactions, if the load is as measured all month (cost: {utilisation: ...} for less). TPS a %s: for each %s a month; 1,000 divided by it is the price of 1,000 TPS. A hyphen: the price is not known, which is not zero.", c, c, c)
}

// fronts says which environments another one beats.
func fronts(s *cost.Sheet) prose.Document {
	if len(s.Fronts) == 0 {
		return nil
	}
	var lines prose.List
	for _, f := range s.Fronts {
		of := map[string][]string{}
		for _, c := range f.Choices {
			name := c.Environment
			if c.By != "" {
				name += " (by " + c.By + ")"
			}
			of[c.Standing] = append(of[c.Standing], name)
		}
		what := map[string]string{"tps": "TPS", "p99": "p99"}[f.Quantity]
		text := fmt.Sprintf("%s, %s against cost: nothing beats %s", strings.TrimSpace(f.Workload+" "+strings.TrimPrefix(f.Cell, f.Workload+"/")), what, strings.Join(of[cost.OnFront], ", "))
		if names := of[cost.Beaten]; names != nil {
			text += "; beaten: " + strings.Join(names, ", ")
		}
		if names := of[cost.Open]; names != nil {
			text += "; perhaps beaten, the blocks do not decide: " + strings.Join(names, ", ")
		}
		if len(f.LeftOut) > 0 {
			text += "; without a price: " + strings.Join(f.LeftOut, ", ")
		}
		lines = append(lines, text)
	}
	return prose.Document{prose.Heading("Which ones nothing beats"), lines,
		prose.Paragraph(fmt.Sprintf("An environment is beaten by one that costs no more and does more, or that does as much, within %.0f %%, for less. Compared block by block; the comparisons of a line share 5 %%.", 100*cost.Alike))}
}

func evens(s *cost.Sheet) prose.Document {
	all := s.Evens()
	if len(all) == 0 {
		return nil
	}
	t := prose.Table{Columns: []prose.Column{{Title: "Workload"}, {Title: "Dearer"}, {Title: "Cheaper, at full load"}, {Title: "Break-even", Right: true}, {Title: "95 % interval", Right: true}}}
	for _, e := range all {
		t.Rows = append(t.Rows, []string{strings.TrimSpace(e.Workload + " " + strings.TrimPrefix(e.Cell, e.Workload+"/")), e.Dearer, e.Cheaper, share(e.Utilisation.Value), shareSpan(e.Utilisation)})
	}
	return prose.Document{prose.Heading("From which use on the dearer one pays"), t,
		prose.Paragraph("The dearer environment costs less per transaction than several of the cheaper one from this share of its own throughput on; above 100 %, never.")}
}

func share(f float64) string { return strconv.FormatFloat(100*f, 'f', 0, 64) + " %" }

func shareSpan(r cost.Range) string {
	if r.N == 1 {
		return "one block"
	}
	return fmt.Sprintf("%.0f to %.0f %%", 100*r.Low, 100*r.High)
}

func nine(all []cost.Nine, currency string) prose.Document {
	var lines prose.List
	for _, n := range all {
		of := strings.TrimSpace(n.Workload + " " + strings.TrimPrefix(n.Cell, n.Workload+"/"))
		switch {
		case n.P99 == "":
			lines = append(lines, fmt.Sprintf("%s: no environment of known cost has a p99 within %s", of, n.Target))
		case n.P999 == "":
			lines = append(lines, fmt.Sprintf("%s: %s is the cheapest with a p99 within %s; none has a p99.9 within it", of, n.P99, n.Target))
		case n.More == 0:
			lines = append(lines, fmt.Sprintf("%s: %s is the cheapest with a p99 within %s, and its p99.9 is, too: the next nine costs nothing more", of, n.P99, n.Target))
		default:
			lines = append(lines, fmt.Sprintf("%s: %s is the cheapest with a p99 within %s, %s with a p99.9 within it: the next nine costs %s more a month", of, n.P99, n.Target, n.P999, Money(float64(n.More), currency)))
		}
	}
	if lines == nil {
		return nil
	}
	return prose.Document{prose.Heading("What one more nine costs"), lines}
}

// hours shows environments that cannot do for long what they did in the runs, or not for the same money.
func hours(s *cost.Sheet) prose.Document {
	t := prose.Table{Columns: []prose.Column{
		{Title: "Environment"}, {Title: "Workload"}, {Title: "TPS in hour 1", Right: true}, {Title: "in hour 10", Right: true},
		{Title: s.Currency + " in hour 1", Right: true}, {Title: "in hour 10", Right: true},
	}}
	var lines prose.List
	for _, r := range s.Rows {
		if r.Load == nil {
			continue
		}
		row := []string{r.Environment, r.Workload}
		for _, h := range r.Load.Hours {
			row = append(row, phrase.Count(h.TPS))
		}
		for _, h := range r.Load.Hours {
			row = append(row, hourly(h.Cost))
		}
		t.Rows = append(t.Rows, row)
		for _, l := range r.Load.Limits {
			text := fmt.Sprintf("%s, %s: the load takes %s %s of the %s that it sustains; a full balance lasts %s", r.Environment, l.Resource, phrase.Fine(l.Used), l.Unit, phrase.Fine(l.Sustained), lasting(l.Lasts))
			if l.Charged {
				text += ", and what follows is charged"
			}
			lines = append(lines, text)
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return prose.Document{prose.Heading("In hour one and in hour ten"), t, lines,
		prose.Paragraph("Computed, not measured: from the credits and buckets of the catalog, full at the start, with throughput in proportion to the resource that is short.")}
}

func lasting(hours float64) string {
	if hours < 1 {
		return phrase.Fine(60*hours) + " minutes"
	}
	return phrase.Fine(hours) + " hours"
}

// bills lists the items of each environment.
func bills(s *cost.Sheet) prose.Document {
	d := prose.Document{prose.Heading("Bills")}
	var notes said
	for _, e := range s.Environments {
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
		return Money(float64(b.Month()), b.Currency) + " a month"
	case b.Least() > 0:
		return "more than " + Money(float64(b.Least()), b.Currency) + " a month"
	}
	return "cost unknown"
}

// Money formats an amount with its currency: "$249.04"; small ones with more digits.
func Money(f float64, currency string) string {
	text := phrase.Money(f)
	if currency == "USD" {
		if strings.HasPrefix(text, "-") {
			return "-$" + text[1:]
		}
		return "$" + text
	}
	return text + " " + currency
}

func amount(a price.Amount) string {
	if !a.Known() {
		return phrase.None
	}
	return phrase.Cents(float64(a))
}

func hourly(a price.Amount) string {
	if !a.Known() {
		return phrase.None
	}
	return strconv.FormatFloat(float64(a), 'f', 3, 64)
}

func unitPrice(a price.Amount) string {
	if !a.Known() {
		return phrase.None
	}
	return strconv.FormatFloat(float64(a), 'f', -1, 64)
}

func quantity(f float64) string {
	if f == 0 {
		return phrase.None
	}
	return phrase.Count(f)
}

func small(r cost.Range) string {
	if !r.Known() {
		return phrase.None
	}
	return phrase.Money(r.Value)
}

func short(r cost.Range) string {
	if !r.Known() {
		return phrase.None
	}
	return phrase.Fine(r.Value)
}

func milliseconds(r cost.Range) string {
	if !r.Known() {
		return phrase.None
	}
	return phrase.Fine(r.Value / 1e6)
}

// span formats an interval; a range of too few blocks has its number of blocks instead of a level.
func span(r cost.Range) string {
	if !r.Known() {
		return phrase.None
	}
	if r.N == 1 {
		return "one block"
	}
	text := phrase.Money(r.Low) + " to " + phrase.Money(r.High)
	if r.Level == 0 {
		text += fmt.Sprintf(" (n=%d)", r.N)
	}
	return text
}

func interval(r cost.Range, currency string) string {
	if r.N == 1 {
		return "one block"
	}
	text := Money(r.Low, currency) + " to " + Money(r.High, currency)
	if r.Level == 0 {
		return "range of " + unit.Count(r.N, "block") + ": " + text
	}
	return text
}

// Published compares published tables with their own prices and with today's.
func Published(all []cost.Published) prose.Document {
	var d prose.Document
	for _, p := range all {
		d.Add(prose.Heading(p.Title), prose.Paragraph(p.From+"; plinth cost --published "+p.Name))
		t := prose.Table{Columns: []prose.Column{{Title: "What"}, {Title: "printed", Right: true}, {Title: "own prices", Right: true}, {Title: "follows"}, {Title: "today's", Right: true}}}
		var notes prose.List
		for _, r := range p.Rows {
			follows := "no"
			switch {
			case !r.Own.Known():
				follows = "unknown"
			case cost.Follows(r.Printed, r.Own):
				follows = "yes"
			}
			t.Rows = append(t.Rows, []string{prose.Cut(r.Name, 36), printed(r.Printed), phrase.Money(float64(r.Own)), follows, phrase.Money(float64(r.Today))})
			if r.Note != "" {
				notes = append(notes, r.Name+": "+r.Note)
			}
		}
		if p.Latest != "" {
			notes = append(notes, "today's prices are those of "+p.Latest)
		}
		d.Add(t)
		if notes != nil {
			d.Add(notes)
		}
	}
	d.Add(prose.Paragraph("Own prices: those that the publication states, with its hours in a month; unknown where it states none. Today's: those of the latest price book. In US dollars."))
	return d
}

func printed(f float64) string {
	text := strconv.FormatFloat(f, 'f', -1, 64)
	whole, decimals, found := strings.Cut(text, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if !found {
		return whole
	}
	return whole + "." + decimals
}
