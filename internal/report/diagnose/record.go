package diagnose

import (
	"fmt"
	"math"

	"plinth/internal/diagnosis"
	"plinth/internal/diagnosis/share"
	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/finding"
	"plinth/internal/report/phrase"
)

// documentOfRecord is the diagnosis of a record: cell by cell, the environments side by side.
func documentOfRecord(o diagnosis.Overview, words experiment.Terms) prose.Document {
	var doc prose.Document
	switch {
	case o.With != "" && len(o.Cells) == 0:
		doc.Add(prose.Paragraph("The records " + o.Record + " and " + o.With + " have no cell and no environment in common that could be diagnosed."))
	case o.With != "":
		doc.Add(prose.Paragraph("1 is " + o.Record + ", 2 is " + o.With + ". Their runs were not interleaved: something else may have changed between them."))
	case len(o.Cells) == 0:
		doc.Add(prose.Paragraph("The record has no valid run to diagnose; plinth diagnose --run RUN diagnoses a single one."))
	}
	for _, c := range o.Cells {
		doc.Add(prose.Heading(c.String()))
		doc.Add(parts(c, words))
		items := prose.List{}
		for _, b := range c.Environments {
			items = append(items, binding(b, words))
		}
		doc.Add(items)
		for _, d := range c.Differences {
			doc.Add(prose.Paragraph(differs(d, words)))
		}
	}
	return doc
}

// titled returns the name of an environment in tables, which says if its numbers are imported.
func titled(b diagnosis.Binding) string {
	if b.Basis == record.BasisImported {
		return b.Environment + " (imported)"
	}
	return b.Environment
}

// parts is the table of all environments' parts, in time for each transaction.
func parts(c diagnosis.CellOverview, words experiment.Terms) prose.Table {
	t := prose.Table{Keys: 1, Columns: []prose.Column{{Title: "Time of a " + words.Unit}}}
	for _, b := range c.Environments {
		t.Columns = append(t.Columns, prose.Column{Title: titled(b), Right: true})
	}
	for _, title := range share.Titles() {
		row, most := []string{title.Title}, 0.0
		for _, b := range c.Environments {
			if b.Division == nil {
				row = append(row, "-")
				continue
			}
			p := b.Division.Part(title.Name)
			most = max(most, math.Abs(p.Share))
			row = append(row, cell(p))
		}
		if most >= 0.01 {
			t.Rows = append(t.Rows, row)
		}
	}
	all, late, isLate := []string{"all"}, []string{"begun late by"}, false
	for _, b := range c.Environments {
		if b.Division == nil {
			all, late = append(all, "-"), append(late, "-")
			continue
		}
		all, late = append(all, diagnosis.Duration(b.Division.Response)), append(late, diagnosis.Duration(b.Division.Late))
		isLate = isLate || b.Division.Late > mentioned*b.Division.Response
	}
	if t.Rows = append(t.Rows, all); isLate {
		t.Rows = append(t.Rows, late)
	}
	return t
}

// cell is a part of one environment: its time and its share.
func cell(p share.Part) string {
	if p.Share < 0.0005 && p.Share > -0.0005 {
		return "-"
	}
	return fmt.Sprintf("%s %4s", diagnosis.Duration(p.Time), finding.Percent(p.Share))
}

// binding says what binds an environment.
func binding(b diagnosis.Binding, words experiment.Terms) string {
	text := fmt.Sprintf("%s (%s %s): ", titled(b), phrase.Count(b.TPS), words.Rate)
	if len(b.Typical) == 0 {
		if b.Undivided != "" {
			return text + b.Undivided
		}
		return text + "nothing that was read explains where the time goes"
	}
	f := b.Typical[0]
	text += fmt.Sprintf("%s (%s of the response time)", f.Text, finding.Percent(f.Share))
	first := b.Causes[0]
	for _, c := range b.Causes {
		if c.Cause == f.Cause {
			first = c
		}
	}
	text += fmt.Sprintf("; first in %d of %s", first.First, phrase.Plural(b.Runs, "run"))
	if len(b.Typical) > 1 {
		text += fmt.Sprintf("; then %s (%s)", b.Typical[1].Title, finding.Percent(b.Typical[1].Share))
	}
	if rest := unclaimed(b.Typical); rest > mostUnclaimed {
		text += fmt.Sprintf("; no cause explains the other %s", finding.Percent(rest))
	}
	if b.Cliff != nil {
		text += fmt.Sprintf("; %s fell in %d of %s, by %s in second %.0f", words.Rate, b.Cliffs, phrase.Plural(b.Runs, "run"), finding.Percent(1-b.Cliff.After/b.Cliff.Before), b.Cliff.Second)
	}
	return text
}

// mostUnclaimed is the share of the response time that no cause explains, above which it is mentioned.
const mostUnclaimed = 0.2

// unclaimed returns the share of the response time that findings leave.
func unclaimed(findings []diagnosis.Finding) float64 {
	rest := 1.0
	for _, f := range findings {
		rest -= f.Share
	}
	return max(0, rest)
}

// mostGains is how many parts of a difference are named.
const mostGains = 3

// differs says which parts explain a difference.
func differs(d diagnosis.Difference, words experiment.Terms) string {
	more := "longer"
	if d.Response < 0 {
		more = "less"
	}
	text := fmt.Sprintf("A %s takes %s %s in %s than in %s (%s)", words.Unit, diagnosis.Duration(math.Abs(d.Response)), more, d.To, d.From, phrase.Plural(d.Blocks, "block"))
	for i, g := range d.Parts[:min(mostGains, len(d.Parts))] {
		if math.Abs(g.Time) < 0.02*math.Abs(d.Response) {
			break
		}
		text += map[bool]string{true: ": ", false: "; "}[i == 0] + g.Title + " " + signed(g.Time)
		if g.Low != nil && g.High != nil {
			text += fmt.Sprintf(" (%s to %s)", signed(*g.Low), signed(*g.High))
		}
	}
	if len(d.Unknown) > 0 {
		text += "; not known of both: " + phrase.And(d.Unknown)
	}
	return text + "."
}

// signed prints a difference of times.
func signed(ns float64) string {
	if ns < 0 {
		return "-" + diagnosis.Duration(-ns)
	}
	return "+" + diagnosis.Duration(ns)
}
