package prose

import (
	"strings"
)

// Table is a table, which renders as text, Markdown, HTML and CSV.
type Table struct {
	Title   string
	Columns []Column
	Rows    [][]string
	Keys    int // leading columns that are repeated when the table is split; 0 means 1
	// Looks maps columns to the CSS class of their cells in HTML: 5: "word".
	Looks map[int]string
}

// Column is the head of a column. Right aligns it right, as for numbers.
type Column struct {
	Title string
	Right bool
}

// Gap is the number of spaces between columns in text.
const Gap = 2

// Text renders the table in at most width columns if possible: unchanged, or with its titles
// broken into lines, or split into several tables that repeat the key columns.
func (t Table) Text(width int) string {
	var b strings.Builder
	if t.Title != "" {
		b.WriteString(Paragraph(t.Title).Text(width) + "\n")
	}
	for i, part := range t.split(width) {
		if i > 0 {
			b.WriteString("\n")
		}
		part.render(&b, part.fit(width))
	}
	return b.String()
}

// split splits the table between columns into parts that fit.
func (t Table) split(width int) []Table {
	keys := min(max(t.Keys, 1), len(t.Columns))
	for n := len(t.Columns); n > keys+1; n-- {
		part := t.columns(0, n, 0)
		if total(part.fit(width)) > width {
			continue
		}
		if n == len(t.Columns) {
			return []Table{part}
		}
		return append([]Table{part}, t.columns(n, len(t.Columns), keys).split(width)...)
	}
	if len(t.Columns) <= keys+1 {
		return []Table{t}
	}
	return append([]Table{t.columns(0, keys+1, 0)}, t.columns(keys+1, len(t.Columns), keys).split(width)...)
}

// columns returns the key columns of t and its columns from from to to.
func (t Table) columns(from, to, keys int) Table {
	part := Table{Keys: t.Keys}
	part.Columns = append(append(part.Columns, t.Columns[:keys]...), t.Columns[from:to]...)
	for _, row := range t.Rows {
		part.Rows = append(part.Rows, append(append([]string(nil), row[:keys]...), row[from:to]...))
	}
	return part
}

// fit returns the widths of the columns with titles broken into the fewest lines that fit
// width, or the narrowest widths if none fit.
func (t Table) fit(width int) []int {
	const most = 4 // maximum lines of a title
	for lines := 1; ; lines++ {
		widths := t.widths(lines)
		if total(widths) <= width || lines == most {
			return widths
		}
	}
}

// widths returns the widths of the columns with titles of at most so many lines.
func (t Table) widths(lines int) []int {
	widths := make([]int, len(t.Columns))
	for i, column := range t.Columns {
		for _, row := range t.Rows {
			widths[i] = max(widths[i], Length(Clean(row[i])))
		}
		for _, word := range words(column.Title) {
			widths[i] = max(widths[i], Length(word))
		}
		for len(Wrap(column.Title, widths[i])) > lines {
			widths[i]++
		}
	}
	return widths
}

// Fits reports whether the table fits width columns without splitting.
func (t Table) Fits(width int) bool { return total(t.fit(width)) <= width }

// First returns the table's first n columns.
func (t Table) First(n int) Table { return t.columns(0, n, 0) }

func total(widths []int) int {
	sum := Gap * (len(widths) - 1)
	for _, w := range widths {
		sum += w
	}
	return sum
}

func (t Table) render(b *strings.Builder, widths []int) {
	for _, line := range t.titles(widths) {
		t.line(b, widths, line)
	}
	rule := make([]string, len(widths))
	for i, w := range widths {
		rule[i] = strings.Repeat("-", w)
	}
	t.line(b, widths, rule)
	for _, row := range t.Rows {
		t.line(b, widths, row)
	}
}

// titles returns the titles broken into lines that fit widths, aligned to the last line.
func (t Table) titles(widths []int) [][]string {
	columns := make([][]string, len(t.Columns))
	height := 0
	for i, column := range t.Columns {
		columns[i] = Wrap(column.Title, widths[i])
		height = max(height, len(columns[i]))
	}
	lines := make([][]string, height)
	for y := range lines {
		lines[y] = make([]string, len(columns))
		for x, words := range columns {
			if from := height - len(words); y >= from {
				lines[y][x] = words[y-from]
			}
		}
	}
	return lines
}

func (t Table) line(b *strings.Builder, widths []int, cells []string) {
	var line strings.Builder
	for i, cell := range cells {
		cell = Clean(cell)
		padding := strings.Repeat(" ", widths[i]-Length(cell))
		if i > 0 {
			line.WriteString(strings.Repeat(" ", Gap))
		}
		if t.Columns[i].Right {
			line.WriteString(padding + cell)
		} else {
			line.WriteString(cell + padding)
		}
	}
	b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}
