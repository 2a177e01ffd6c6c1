package runpage

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// document returns both runs as a document.
func (s *SideBySide) document() prose.Document {
	var d prose.Document
	d.Add(prose.Heading("Two runs side by side"), prose.List{s.A.line("A", s.a), s.B.line("B", s.b)})
	d.Add(prose.Paragraph(s.unlike()), prose.List(phrase.AtMost(s.warnings())))
	if len(s.Steps) > 0 {
		d.Add(prose.WordTable(s.table()), prose.Paragraph(s.note()))
	}
	if len(s.different()) > 0 {
		d.Add(prose.Heading("What differs most"), prose.WordTable(s.pairTable()))
		d.Add(prose.Paragraph(s.pairNote()))
	}
	d.Add(prose.Paragraph("Two runs show only what happened in them. plinth compare decides from all runs whether their environments differ."))
	return d
}

func (s Side) line(letter string, p *Page) string {
	text := fmt.Sprintf("%s: %s of %s", letter, s.Path, s.Record)
	if s.Server != "" {
		text += " (" + s.Server + phrase.When(s.Basis == record.BasisImported, ", imported") + ")"
	}
	if text += ", " + string(s.Status); s.Status != record.Valid {
		text += ": " + strings.Join(phrase.Notes("", p.Run.Reasons), "; ")
	}
	if !p.Observed && s.Missing == "" {
		text += ", not observed"
	}
	if s.Missing != "" {
		text += "; " + s.Missing
	}
	return text
}

// unlike warns that the runs have different loads, which alone may explain the differences.
func (s *SideBySide) unlike() string {
	a, b := s.a.Run.Cell, s.b.Run.Cell
	if a == b {
		return ""
	}
	return fmt.Sprintf("The runs are of different cells (A: %s; B: %s): other differences may be due to that.", a, b)
}

// warnings returns the warnings of both runs, each once.
func (s *SideBySide) warnings() []string {
	a, b := phrase.Notes("", s.a.Run.Warnings), phrase.Notes("", s.b.Run.Warnings)
	var lines []string
	for _, text := range a {
		who := "A"
		if slices.Contains(b, text) {
			who = "A and B"
		}
		lines = append(lines, "warning, "+who+": "+text)
	}
	for _, text := range b {
		if !slices.Contains(a, text) {
			lines = append(lines, "warning, B: "+text)
		}
	}
	return lines
}

func (s *SideBySide) table() prose.Table {
	t := prose.Table{Keys: 1, Columns: []prose.Column{{Title: "Time", Right: true}, {Title: "A", Right: true}, {Title: "B", Right: true}, {Title: "Change", Right: true}, {Title: "Observation"}}}
	for _, at := range s.Steps {
		t.Rows = append(t.Rows, []string{phrase.Exact(at.End) + " s", phrase.Quantity(float64(at.A), "1", false), phrase.Quantity(float64(at.B), "1", false),
			changeText(float64(at.Change), false), at.Observation})
	}
	return t
}

func (s *SideBySide) note() string {
	return s.a.words.Rate + ". " + stepNote(s.Every, endOf(s.a.window, s.b.window)) + " Change is that of B against A."
}

// mostPairs is the maximum number of figures in the document.
const mostPairs = 20

// different returns the figures with a visible difference.
func (s *SideBySide) different() []Pair {
	const visible = 0.0005 // a smaller difference would be shown as 0.0 %
	var all []Pair
	for _, p := range s.Pairs {
		if p.size >= visible {
			all = append(all, p)
		}
	}
	return all
}

func (s *SideBySide) pairTable() prose.Table {
	t := prose.Table{Columns: []prose.Column{{Title: "Figure"}, {Title: "A", Right: true}, {Title: "B", Right: true}, {Title: "Change", Right: true}}}
	different := s.different()
	for _, p := range different[:min(mostPairs, len(different))] {
		t.Rows = append(t.Rows, []string{prose.Cut(p.Title, 40), phrase.Quantity(float64(p.A), p.Unit, p.Share), phrase.Quantity(float64(p.B), p.Unit, p.Share), p.change()})
	}
	return t
}

func (s *SideBySide) pairNote() string {
	different := len(s.different())
	var notes []string
	if more := different - mostPairs; more > 0 {
		notes = append(notes, fmt.Sprintf("%s more, which differ less: --format json has them all.", phrase.Plural(more, "figure")))
	}
	if same := len(s.Pairs) - different; same > 0 {
		notes = append(notes, fmt.Sprintf("Alike in both: %s.", phrase.Plural(same, "figure")))
	}
	if slices.ContainsFunc(s.different(), func(p Pair) bool { return p.Share }) {
		notes = append(notes, "Shares differ in percentage points: from 10 to 15 % is 5 points.")
	}
	return strings.Join(notes, " ")
}

// fields returns the steps for programs.
func (s *SideBySide) fields() prose.Table {
	t := prose.Table{Columns: []prose.Column{{Title: "end_s", Right: true}, {Title: "a_tps", Right: true}, {Title: "b_tps", Right: true}, {Title: "change", Right: true}, {Title: "observation"}}}
	for _, at := range s.Steps {
		t.Rows = append(t.Rows, []string{phrase.Exact(at.End), field(float64(at.A)), field(float64(at.B)), field(float64(at.Change)), at.Observation})
	}
	return t
}
