package report

import "slices"

// wordTable is a table that has words in its first or last column: they are broken
// into lines where they do not fit beside the numbers.
type wordTable Table

const leastWords = 16 // characters; less is no room for words

func (o wordTable) text(width int) string {
	t := Table(o)
	if total(t.fit(width)) <= width {
		return t.text(width)
	}
	last := len(t.Columns) - 1
	if room := width - total(t.columns(0, last, 0).fit(width-leastWords-gap)) - gap; !t.Columns[last].Right && room >= leastWords {
		return t.broken(last, room).text(width)
	}
	// The table will be split, and each part has the first column.
	if !t.Columns[last].Right {
		t = t.cut(last, width-leastWords-gap)
	}
	widest := 0
	for _, w := range t.columns(1, last+1, 0).fit(0) {
		widest = max(widest, w)
	}
	return t.broken(0, max(width-widest-gap, leastWords)).text(width)
}

func (o wordTable) markdown() string { return Table(o).markdown() }

// broken is t with the words of a column broken into lines of width.
func (t Table) broken(column, width int) Table {
	b := Table{Title: t.Title, Columns: t.Columns, Keys: t.Keys}
	for _, row := range t.Rows {
		for i, line := range append(wrap(Clean(row[column]), width), "") {
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

// cut is t with the words of a column cut to width.
func (t Table) cut(column, width int) Table {
	c := Table{Title: t.Title, Columns: t.Columns, Keys: t.Keys}
	for _, row := range t.Rows {
		row = slices.Clone(row)
		row[column] = cut(row[column], width)
		c.Rows = append(c.Rows, row)
	}
	return c
}

// factTable is a table of figures, whose last column, what compare calls them, is
// left out where it does not fit.
type factTable Table

func (f factTable) text(width int) string {
	t := Table(f)
	if total(t.fit(width)) > width {
		t = t.columns(0, len(t.Columns)-1, 0)
	}
	return wordTable(t).text(width)
}

func (f factTable) markdown() string { return Table(f).markdown() }
