package truth

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// luck is the probability below which a figure refutes its claim. With some two hundred
// figures, one in a thousand refuses correct tables about once in ten. The seeds are
// fixed, so the same tables are refused always or never.
const luck = 0.001

// Counted is a line with its figures.
type Counted struct {
	Line
	Figures []Figure
}

// Pooled returns the figure over all columns.
func (c Counted) Pooled() Figure {
	all := Figure{}
	for _, f := range c.Figures {
		all = all.plus(f)
	}
	return all
}

// Refuted returns the columns whose figures refute the claim; the line as a whole is
// column -1. The whole has more trials, so it is the stricter test.
func (c Counted) Refuted() []int {
	var columns []int
	if c.Pooled().Refutes(c.Claim, luck) {
		columns = append(columns, -1)
	}
	for i, f := range c.Figures {
		if f.Refutes(c.Claim, luck) {
			columns = append(columns, i)
		}
	}
	return columns
}

// WriteHead writes the head of a table in Markdown.
func (t Table) WriteHead(w io.Writer) {
	heads := append([]string{t.Title}, t.Columns...)
	if t.Together {
		heads = append(heads, "together")
	}
	heads = append(heads, "trials", "claim")
	fmt.Fprintf(w, "\n| %s |\n|---|%s---|\n", strings.Join(heads, " | "), strings.Repeat("---:|", len(heads)-2))
}

// WriteLine writes a line in Markdown, with shares in per cent.
func (t Table) WriteLine(w io.Writer, c Counted) {
	figures := c.Figures
	if t.Together {
		figures = append(slices.Clone(figures), c.Pooled())
	}
	fmt.Fprintf(w, "| %s |", c.Name)
	for _, f := range figures {
		fmt.Fprintf(w, " %.1f |", 100*f.Share())
	}
	fmt.Fprintf(w, " %d |", c.Pooled().Trials)
	if claim := c.Claim.String(); claim != "" {
		fmt.Fprintf(w, " %s", claim)
	}
	fmt.Fprintln(w, " |")
}
