package truth

import (
	"io"
	"strings"
)

// Refusal is a figure that refutes its claim.
type Refusal struct {
	Line   string
	Column string // "all" for the line as a whole
}

// Write runs all trials of all tables, which takes some minutes, and writes each line to
// w when it is ready. It returns the whole text with its mark, and the figures that
// refute their claims.
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
