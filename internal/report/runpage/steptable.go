package runpage

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/report/phrase"
)

// stepTable is the timeline in steps, with the marks of each: in words, or in the timeline's
// letters if words do not fit. A second, mostly empty table would be harder to read.
type stepTable struct {
	words, letters prose.Table
}

func (p *Page) stepTable(every int) stepTable {
	t := prose.Table{Columns: []prose.Column{{Title: "Time", Right: true}}, Keys: 1}
	for _, s := range p.rows {
		t.Columns = append(t.Columns, prose.Column{Title: prose.Cut(s.title, 40), Right: true})
	}
	words, letters := t, t
	words.Columns = append(slices.Clone(t.Columns), prose.Column{Title: "Observation"})
	letters.Columns = append(slices.Clone(t.Columns), prose.Column{Title: "Mark"})
	for _, at := range steps(p.window.seconds, every, endOf(p.window)) {
		row := []string{phrase.Exact(at.end) + " s"}
		for _, s := range p.rows {
			row = append(row, s.say(s.of(at)))
		}
		words.Rows = append(words.Rows, append(slices.Clone(row), p.marksIn(at, "", "")))
		letters.Rows = append(letters.Rows, append(row, p.lettersIn(at)))
	}
	return stepTable{words, letters}
}

func (t stepTable) Text(width int) string {
	bare := t.words.First(len(t.words.Columns) - 1)
	switch {
	case bare.Fits(width - prose.LeastWords - prose.Gap): // leaves room for the words
	case t.letters.Fits(width):
		return t.letters.Text(width)
	case bare.Fits(width):
		return bare.Text(width) // the timeline above has the marks
	}
	return prose.WordTable(t.words).Text(width)
}

func (t stepTable) HTML() string { return t.words.HTML() }

func (t stepTable) Markdown() string { return t.words.Markdown() }

// stepNote explains the numbers of a table in steps.
func stepNote(every int, end float64) string {
	length := min(float64(every), end)
	if length <= 1 {
		return "A row is the second that ends at its time: 1 s is second 0."
	}
	note := fmt.Sprintf("A row is the mean of the %s seconds before its time: %s s is seconds 0 to %s", phrase.Exact(length), phrase.Exact(length), phrase.Exact(length-1))
	if int(end)%every != 0 && float64(every) < end {
		note += "; the last one covers the rest"
	}
	return note + "."
}

// lettersIn returns the letters of a step's marks.
func (p *Page) lettersIn(at step) string {
	var letters strings.Builder
	for _, group := range byKind(p.marksOf(at)) {
		_, kind := kindOf(group[0])
		letters.WriteRune(kind.letter)
	}
	return letters.String()
}

// stepFields returns the timeline in steps for programs, in the units of the columns.
func (p *Page) stepFields(every int) prose.Table {
	t := prose.Table{Columns: []prose.Column{{Title: "end_s", Right: true}}}
	for _, s := range p.rows {
		t.Columns = append(t.Columns, prose.Column{Title: prose.Clean(s.column), Right: true})
	}
	t.Columns = append(t.Columns, prose.Column{Title: "observation"})
	for _, at := range steps(p.window.seconds, every, endOf(p.window)) {
		row := []string{phrase.Exact(at.end)}
		for _, s := range p.rows {
			row = append(row, field(s.of(at)))
		}
		t.Rows = append(t.Rows, append(row, p.marksIn(at, "", "")))
	}
	return t
}

// field formats a number for programs; a gap is an empty field.
func field(f float64) string {
	if !phrase.Known(f) {
		return ""
	}
	return phrase.Exact(f)
}
