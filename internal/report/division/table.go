package division

import (
	"fmt"
	"math"
	"slices"

	"plinth/internal/diagnosis"
	"plinth/internal/diagnosis/share"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
)

// tables returns a table of the parts for each cell at a load: a column for each environment.
func (o of) tables(l load) (d prose.Document) {
	for _, c := range l.cells {
		d.Add(o.table(c))
	}
	if slices.ContainsFunc(l.cells, someTwice) {
		d.Add(prose.Paragraph("Not explained is negative where some time counts twice: a backend that waits for a CPU at the end of a flush is still in the wait event."))
	}
	return d
}

func someTwice(c diagnosis.CellOverview) bool {
	return slices.ContainsFunc(c.Environments, func(b diagnosis.Binding) bool {
		return b.Division != nil && twice(*b.Division) > 0
	})
}

func (o of) table(c diagnosis.CellOverview) prose.Table {
	t := prose.Table{Title: "Parts of the response time, " + c.String(), Keys: 1, Columns: []prose.Column{{Title: "Part"}}}
	rows := [][]string{}
	for _, title := range share.Titles() {
		if slices.ContainsFunc(c.Environments, func(b diagnosis.Binding) bool { return b.Division != nil && b.Division.Part(title.Name).Sessions != 0 }) {
			rows = append(rows, []string{title.Title})
		}
	}
	known := len(rows)
	rows = append(rows, []string{"response time"}, []string{"error of a share"}, []string{"runs"}, []string{"comes first most often"})
	for _, b := range c.Environments {
		t.Columns = append(t.Columns, prose.Column{Title: b.Environment, Right: true})
		for i, cell := range column(b, rows[:known]) {
			rows[i] = append(rows[i], cell)
		}
	}
	t.Rows = rows
	return t
}

// column returns the cells of an environment: those of some parts, by title, and what else is said of it.
func column(b diagnosis.Binding, parts [][]string) []string {
	var cells []string
	for _, row := range parts {
		text := phrase.None
		if b.Division != nil {
			for _, p := range b.Division.Parts {
				if p.Title == row[0] {
					text = milliseconds(p.Time) + " (" + percent(p.Share) + ")"
				}
			}
		}
		cells = append(cells, text)
	}
	whole, exact, first := phrase.None, phrase.None, phrase.None
	if b.Division != nil {
		whole, exact = phrase.Milliseconds(b.Division.Response), "±"+points(b.Division.Error)
	}
	if len(b.Causes) > 0 {
		first = fmt.Sprintf("%s (%d of %s)", b.Causes[0].Title, b.Causes[0].First, phrase.Plural(b.Runs, "run"))
	}
	return append(cells, whole, exact, phrase.Count(float64(b.Runs)), first)
}

// sentences returns what stands below the bars, for a report without them.
func (o of) sentences(l load) prose.List {
	var lines prose.List
	for _, c := range l.cells {
		for _, b := range c.Environments {
			of := phrase.When(len(l.cells) > 1, "%s, ", c.Workload) + b.Environment
			if b.Division == nil {
				lines = append(lines, of+": not divided: "+b.Undivided)
			} else {
				lines = append(lines, of+": "+sentence(b))
			}
		}
	}
	return phrase.AtMost(lines)
}

// differences says for each environment where it is slower or faster than the baseline.
func (o of) differences(l load) prose.Block {
	t := prose.Table{Columns: []prose.Column{{Title: "Environment"}, {Title: "Response time", Right: true}, {Title: "Most of all"}}}
	for _, c := range l.cells {
		for _, d := range c.Differences {
			t.Title = "How much longer a " + o.words.Unit + " takes than with " + d.From + " (with 95 % intervals, where there are enough blocks)"
			name := phrase.When(len(l.cells) > 1, "%s, ", c.Workload) + d.To
			t.Rows = append(t.Rows, []string{name, signed(d.Response), mostOfAll(d)})
		}
	}
	if len(t.Rows) == 0 {
		return prose.Paragraph("")
	}
	return prose.WordTable(t)
}

// Of a difference, so many parts are named, if they are at least such a share of it.
const (
	mostParts = 3
	leastPart = 0.1
)

func mostOfAll(d diagnosis.Difference) string {
	var parts []string
	for i, g := range d.Parts[:min(mostParts, len(d.Parts))] {
		if i == 0 || math.Abs(g.Time) >= leastPart*math.Abs(d.Response) {
			parts = append(parts, g.Title+" "+gain(g))
		}
	}
	return phrase.Join("; ", parts...)
}

// gain returns a difference with its interval: "+2.95 ms (2.90 ms to 3.01 ms)".
func gain(g diagnosis.Gain) string {
	text := signed(g.Time)
	if g.Low != nil && g.High != nil {
		text += fmt.Sprintf(" (%s to %s)", milliseconds(*g.Low), milliseconds(*g.High))
	}
	return text
}

func signed(ns float64) string {
	if ns > 0 {
		return "+" + phrase.Milliseconds(ns)
	}
	return milliseconds(ns)
}

// missing lists the parts that are not known, each reason once.
func (o of) missing(l load) prose.List {
	var gaps []string
	who := map[string][]string{}
	for _, c := range l.cells {
		for _, b := range c.Environments {
			if b.Division == nil {
				continue
			}
			for _, gap := range b.Division.Missing {
				text := titleOf(gap.What) + ": " + gap.Why
				if who[text] == nil {
					gaps = append(gaps, text)
				}
				if !slices.Contains(who[text], b.Environment) {
					who[text] = append(who[text], b.Environment)
				}
			}
		}
	}
	var lines []string
	for _, text := range gaps {
		lines = append(lines, "not known of "+phrase.SomeOf(who[text])+": "+text)
	}
	return phrase.AtMost(lines)
}

func titleOf(part string) string {
	for _, t := range share.Titles() {
		if t.Name == part {
			return t.Title
		}
	}
	return part
}
