package truth

import (
	"io"
	"strings"
)

// Refusal is a figure that refutes what is claimed.
type Refusal struct {
	Line   string
	Column string // "all" for the line as a whole
}

// Write makes all trials of all tables (some minutes), writes them to w as they
// are ready, and returns the whole text, marked, with what does not hold.
func Write(w io.Writer, tables []Table) (text string, refused []Refusal, err error) {
	var all strings.Builder
	both := io.MultiWriter(w, &all)
	for _, t := range tables {
		t.WriteHead(both)
		for _, line := range t.Lines {
			figures, err := t.Count(line, 1)
			if err != nil {
				return "", nil, err
			}
			counted := Counted{line, figures}
			t.WriteLine(both, counted)
			refused = append(refused, t.refusals(counted)...)
		}
	}
	mark, err := Mark(tables, all.String())
	return all.String() + marked(mark), refused, err
}

func (t Table) refusals(c Counted) []Refusal {
	var all []Refusal
	for _, column := range c.Refuted() {
		name := "all"
		if column >= 0 {
			name = t.Columns[column]
		}
		all = append(all, Refusal{c.Name, name})
	}
	return all
}
