package compare

import (
	"slices"
	"strconv"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// verdictTable holds the verdicts on one pair of environments or, with pairs, on several. If the
// table is too wide, it becomes one table per metric (of several pairs, per workload), then a table
// without names as headings, and finally a list: a table split between columns would separate a
// verdict from its interval.
type verdictTable struct {
	title  string
	unit   string    // what n counts: "block" or "repeat"
	margin float64   // differences within it do not matter
	heads  [2]string // of the value columns: baseline and other
	cells  bool      // each row is one cell: its effect and interval without the values
	pairs  bool      // each row names its environments, and has no values
	rows   []VerdictRow
}

// VerdictRow is a verdict with the marks of its footnotes.
type VerdictRow struct {
	record.Verdict
	mark  string
	asked bool // there are verdicts by its metric
	words experiment.Terms
}

func (t verdictTable) Text(width int) string {
	if !t.any(VerdictRow.HasNumber) {
		return t.words().Text(width)
	}
	table := t.table()
	if table.Fits(width) {
		return table.Text(width)
	}
	parts := t.parts(func(r VerdictRow) string { return r.Metric })
	if t.pairs && len(parts) == 1 {
		parts = t.parts(func(r VerdictRow) string { return r.Workload })
	}
	if len(parts) > 1 {
		texts := make([]string, len(parts))
		for i, part := range parts {
			texts[i] = part.Text(width)
		}
		return strings.Join(texts, "\n")
	}
	if short := t.short(); short.Fits(width) {
		return short.Text(width)
	}
	title := ""
	if t.title != "" {
		title = prose.Paragraph(t.title).Text(width) + "\n"
	}
	return title + t.list().Text(width)
}

func (t verdictTable) Markdown() string {
	if !t.any(VerdictRow.HasNumber) {
		return t.words().Markdown()
	}
	return t.table().Markdown()
}

// HTML returns the table, or a list if no row has a number.
func (t verdictTable) HTML() string {
	if !t.any(VerdictRow.HasNumber) {
		return t.words().HTML()
	}
	return t.table().HTML()
}

// short moves the environments' names, which are longer than the values, into the title.
func (t verdictTable) short() prose.Table {
	if !t.cells && !t.pairs {
		names := t.heads[1] + " (other) against " + t.heads[0] + " (baseline)"
		t.title = strings.TrimSuffix(names+": "+t.title, ": ")
		t.heads = [2]string{"baseline", "other"}
	}
	return t.table()
}

// parts divides the table into those of rows with the same key.
func (t verdictTable) parts(key func(VerdictRow) string) []verdictTable {
	var parts []verdictTable
	for _, row := range t.rows {
		at := slices.IndexFunc(parts, func(p verdictTable) bool { return key(p.rows[0]) == key(row) })
		if at < 0 {
			at = len(parts)
			parts = append(parts, t)
			parts[at].rows = nil
		}
		parts[at].rows = append(parts[at].rows, row)
	}
	return parts
}

// table moves columns with the same value in each row into the title.
func (t verdictTable) table() prose.Table {
	columns, said := t.hoist(t.columns())
	table := prose.Table{Title: strings.Join(said, ", "), Keys: 1}
	if t.title != "" {
		table.Title = strings.TrimSuffix(t.title+": "+table.Title, ": ")
	}
	for i, c := range columns {
		table.Columns = append(table.Columns, prose.Column{Title: c.title, Right: c.right})
		if c.title == VerdictTitle {
			table.Looks = map[int]string{i: "word"}
		}
	}
	for _, row := range t.rows {
		line, below := make([]string, len(columns)), make([]string, len(columns))
		second := false
		for i, c := range columns {
			line[i] = c.cell(row)
			if c.below != nil {
				below[i] = c.below(row)
				second = second || below[i] != ""
			}
		}
		table.Rows = append(table.Rows, line)
		if second {
			table.Rows = append(table.Rows, below)
		}
	}
	return table
}

// hoist separates the columns from those whose common value goes into the title.
func (t verdictTable) hoist(columns []verdictColumn) (kept []verdictColumn, said []string) {
	for _, c := range columns {
		if text, same := t.same(c); same {
			said = append(said, text)
		} else {
			kept = append(kept, c)
		}
	}
	return kept, said
}

// same returns the common value of column c, if all rows agree. For counts, only rows with a
// number are considered.
func (t verdictTable) same(c verdictColumn) (text string, same bool) {
	if c.once == nil {
		return "", false
	}
	rows := t.rows
	if c.counts {
		rows = slices.DeleteFunc(slices.Clone(rows), func(r VerdictRow) bool { return !HasNumber(r.Verdict) })
	}
	if len(rows) == 0 {
		return "", false
	}
	text = c.once(rows[0])
	return text, !slices.ContainsFunc(rows, func(r VerdictRow) bool { return c.once(r) != text })
}

// HasNumber reports whether the row has an effect.
func (r VerdictRow) HasNumber() bool { return HasNumber(r.Verdict) }

// pair names the environments of the row.
func (r VerdictRow) pair() string { return r.Other + " against " + r.Baseline }

// says reports whether the row has a number or a verdict, rather than only its subject.
func (r VerdictRow) says() bool { return r.HasNumber() || r.word() != phrase.None }

// word returns the verdict with its marks. A missing verdict is explained below the table.
func (r VerdictRow) word() string {
	word := string(r.Outcome)
	if word == "" {
		word = phrase.None
	}
	return strings.TrimSpace(word + " " + r.mark)
}

// LevelName returns the name of an interval by its level. A level of 0 means a range: fewer
// than six units have no interval.
func LevelName(level float64) string {
	if level == 0 {
		return "range"
	}
	return strconv.FormatFloat(level*100, 'g', 4, 64) + " % interval"
}
