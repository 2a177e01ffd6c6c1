package report

import (
	"fmt"
	"slices"
	"strings"
)

// stepTable is the timeline in steps, with what happened in each: in words, or in the
// letters of the timeline where words do not fit: two tables, of which one is mostly
// empty, would be harder to read.
type stepTable struct {
	words, letters Table
}

func (p *RunPage) stepTable(every int) stepTable {
	t := Table{Columns: []Column{{"Time", true}}, Keys: 1}
	for _, s := range p.rows {
		t.Columns = append(t.Columns, Column{cut(s.title, 40), true})
	}
	words, letters := t, t
	words.Columns = append(slices.Clone(t.Columns), Column{"Observation", false})
	letters.Columns = append(slices.Clone(t.Columns), Column{"Mark", false})
	for _, at := range steps(p.window.seconds, every, endOf(p.window)) {
		row := []string{exact(at.end) + " s"}
		for _, s := range p.rows {
			row = append(row, s.say(s.of(at)))
		}
		words.Rows = append(words.Rows, append(slices.Clone(row), p.marksIn(at, "", "")))
		letters.Rows = append(letters.Rows, append(row, p.lettersIn(at)))
	}
	return stepTable{words, letters}
}

func (t stepTable) text(width int) string {
	last := len(t.words.Columns) - 1
	bare := t.words.columns(0, last, 0)
	switch room := width - total(bare.fit(width-leastWords-gap)) - gap; {
	case room >= leastWords:
	case total(t.letters.fit(width)) <= width:
		return t.letters.text(width)
	case total(bare.fit(width)) <= width:
		return bare.text(width) // the timeline above has the marks
	}
	return wordTable(t.words).text(width)
}

func (t stepTable) markdown() string { return t.words.markdown() }

// note says what the numbers of a table in steps are.
func stepNote(every int, end float64) string {
	length := min(float64(every), end)
	if length <= 1 {
		return "A row is the second that ends at its time: 1 s is second 0."
	}
	note := fmt.Sprintf("A row is the mean of the %s seconds before its time: %s s is seconds 0 to %s", exact(length), exact(length), exact(length-1))
	if int(end)%every != 0 && float64(every) < end {
		note += "; the last one is of what was left"
	}
	return note + "."
}

// lettersIn are the marks of a step by their letters.
func (p *RunPage) lettersIn(at step) string {
	var letters strings.Builder
	for _, group := range byKind(p.marksOf(at)) {
		_, kind := kindOf(group[0])
		letters.WriteRune(kind.letter)
	}
	return letters.String()
}

// stepFields are the rows of the timeline in steps for programs, in the units of
// their columns.
func (p *RunPage) stepFields(every int) Table {
	t := Table{Columns: []Column{{"end_s", true}}}
	for _, s := range p.rows {
		t.Columns = append(t.Columns, Column{Clean(s.column), true})
	}
	t.Columns = append(t.Columns, Column{"observation", false})
	for _, at := range steps(p.window.seconds, every, endOf(p.window)) {
		row := []string{exact(at.end)}
		for _, s := range p.rows {
			row = append(row, field(s.of(at)))
		}
		t.Rows = append(t.Rows, append(row, p.marksIn(at, "", "")))
	}
	return t
}

// field is a number for programs; a gap is an empty field.
func field(f float64) string {
	if !known(f) {
		return ""
	}
	return exact(f)
}
