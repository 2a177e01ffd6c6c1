package prose

import (
	"slices"
	"strings"
)

// WordTable is a table with words in its first or last column, which are wrapped if they do
// not fit next to the numbers.
type WordTable Table

// LeastWords is the minimum width of a column of words, in characters.
const LeastWords = 16

func (o WordTable) Text(width int) string {
	t := Table(o)
	if total(t.fit(width)) <= width {
		return t.Text(width)
	}
	last := len(t.Columns) - 1
	if room := width - total(t.columns(0, last, 0).fit(width-LeastWords-Gap)) - Gap; !t.Columns[last].Right && room >= LeastWords {
		return t.broken(last, room).Text(width)
	}
	// The table will be split, and each part repeats the first column.
	if !t.Columns[last].Right {
		t = t.cut(last, width-LeastWords-Gap)
	}
	widest := 0
	for _, w := range t.columns(1, last+1, 0).fit(0) {
		widest = max(widest, w)
	}
	return t.broken(0, max(width-widest-Gap, LeastWords)).Text(width)
}

func (o WordTable) Markdown() string { return Table(o).Markdown() }

// broken returns t with the words of a column wrapped to width.
func (t Table) broken(column, width int) Table {
	b := Table{Title: t.Title, Columns: t.Columns, Keys: t.Keys}
	for _, row := range t.Rows {
		for i, line := range append(Wrap(Clean(row[column]), width), "") {
			if i > 0 && line == "" {
				break
			}
			cells := make([]string, len(row))
			if i == 0 {
				copy(cells, row)
			}
			cells[column] = line
			b.Rows = append(b.Rows, cells)
		}
	}
	return b
}

// cut returns t with the words of a column cut to width.
func (t Table) cut(column, width int) Table {
	c := Table{Title: t.Title, Columns: t.Columns, Keys: t.Keys}
	for _, row := range t.Rows {
		row = slices.Clone(row)
		row[column] = Cut(row[column], width)
		c.Rows = append(c.Rows, row)
	}
	return c
}

// FactTable is a table of figures. Its last column, their names in compare, is left out if
// it does not fit.
type FactTable Table

func (f FactTable) Text(width int) string {
	t := Table(f)
	if total(t.fit(width)) > width {
		t = t.columns(0, len(t.Columns)-1, 0)
	}
	return WordTable(t).Text(width)
}

func (f FactTable) Markdown() string { return Table(f).Markdown() }

// Fact is a name with a text.
type Fact struct{ Name, Text string }

// FactSheet is a list of facts; one with an empty name continues the previous one.
type FactSheet []Fact

func (s FactSheet) Text(width int) string {
	column := 0
	for _, f := range s {
		column = max(column, Length(Clean(f.Name))+Gap)
	}
	var b strings.Builder
	for _, f := range s {
		name := Clean(f.Name)
		b.WriteString(Hanging(name+strings.Repeat(" ", column-Length(name)), f.Text, width))
	}
	return b.String()
}

func (s FactSheet) Markdown() string { return s.table().Markdown() }

func (s FactSheet) HTML() string { return s.table().HTML() }

func (s FactSheet) table() Table {
	t := Table{Columns: []Column{{Title: "what"}, {Title: "is"}}}
	for _, f := range s {
		t.Rows = append(t.Rows, []string{f.Name, f.Text})
	}
	return t
}
