package truth

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// luck is how rare a figure has to be to refute its claim. There are some two
// hundred figures: at one in a thousand, a table that says no more than the truth
// is refused once in ten or so; it is drawn from fixed seeds, so it is refused
// always or never.
const luck = 0.001

// Counted is a line with its figures.
type Counted struct {
	Line
	Figures []Figure
}

// Pooled is the figure over all columns.
func (c Counted) Pooled() Figure {
	all := Figure{}
	for _, f := range c.Figures {
		all = all.plus(f)
	}
	return all
}

// Refuted are the columns whose figures refute the claim; the line as a whole is
// column -1. More trials see more, so the whole is the stricter test.
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

// WriteHead begins a table in Markdown.
func (t Table) WriteHead(w io.Writer) {
	heads := append([]string{t.Title}, t.Columns...)
	if t.Together {
		heads = append(heads, "together")
	}
	heads = append(heads, "trials", "claim")
	fmt.Fprintf(w, "\n| %s |\n|---|%s---|\n", strings.Join(heads, " | "), strings.Repeat("---:|", len(heads)-2))
}

// WriteLine is a line in Markdown: shares in per cent.
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
