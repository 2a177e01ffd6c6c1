package prose

import "strings"

// Fact is a name and what there is to say about it.
type Fact struct{ Name, Text string }

// FactSheet is facts below each other; a name that is empty goes on with the one
// above.
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
