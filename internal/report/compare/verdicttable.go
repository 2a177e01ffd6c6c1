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

// verdictTable is the verdicts of one pair of environments. Where the table does
// not fit there is one for each metric, then one whose columns are not headed by
// names, and at last a list: a table cut between columns would tear a word from
// its interval.
type verdictTable struct {
	title  string
	unit   string    // what n counts: "block" or "repeat"
	margin float64   // differences within it do not matter
	heads  [2]string // of the columns of values: baseline and other
	cells  bool      // each row is one cell: its effect and interval without the values
	rows   []VerdictRow
}

// VerdictRow is a verdict with the marks of its footnotes.
type VerdictRow struct {
	record.Verdict
	mark  string
	asked bool // whether verdicts are by its metric
	words experiment.Words
}

func (t verdictTable) Text(width int) string {
	if !t.any(VerdictRow.HasNumber) {
		return t.words().Text(width)
	}
	table := t.table()
	if table.Fits(width) {
		return table.Text(width)
	}
	if parts := t.byMetric(); len(parts) > 1 {
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

// HTML is the table, or where no row has a number what there is to say.
func (t verdictTable) HTML() string {
	if !t.any(VerdictRow.HasNumber) {
		return t.words().HTML()
	}
	return t.table().HTML()
}

// short has the environments' names in its title, for names are longer than values.
func (t verdictTable) short() prose.Table {
	if !t.cells {
		names := t.heads[1] + " (other) against " + t.heads[0] + " (baseline)"
		t.title = strings.TrimSuffix(names+": "+t.title, ": ")
		t.heads = [2]string{"baseline", "other"}
	}
	return t.table()
}

func (t verdictTable) byMetric() []verdictTable {
	var parts []verdictTable
	for _, row := range t.rows {
		at := slices.IndexFunc(parts, func(p verdictTable) bool { return p.rows[0].Metric == row.Metric })
		if at < 0 {
			at = len(parts)
			parts = append(parts, t)
			parts[at].rows = nil
		}
		parts[at].rows = append(parts[at].rows, row)
	}
	return parts
}

// table leaves out the columns that say the same in each row: its title says it.
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

// hoist parts the columns from those that can be said once, for all rows.
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

// same is what column c says of every row; what counts something, of every row that
// has a number.
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

// HasNumber says whether there is an effect.
func (r VerdictRow) HasNumber() bool { return HasNumber(r.Verdict) }

// says is false of a row that is no more than its subject: nothing was driven yet.
func (r VerdictRow) says() bool { return r.HasNumber() || r.word() != phrase.None }

// word is the word with its marks; without a word the reason is said below.
func (r VerdictRow) word() string {
	word := string(r.Word)
	if word == "" {
		word = phrase.None
	}
	return strings.TrimSpace(word + " " + r.mark)
}

// LevelName names an interval by its level. Below six units there is no level,
// and what stands there is no interval.
func LevelName(level float64) string {
	if level == 0 {
		return "range"
	}
	return strconv.FormatFloat(level*100, 'g', 4, 64) + " % interval"
}
