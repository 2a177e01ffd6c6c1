// Package table collects the readings of sysstat's programs into one table with a row for each
// moment, within limits on its size, and checks what can be checked about them.
package table

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// Limits of one table. A day of readings once a second has 86,400 rows.
const (
	maxRows    = 200_000
	maxColumns = 5_000
	maxCells   = 8 << 20 // 64 MiB
)

// Table is a table of readings. Its source is the program.
type Table struct {
	Source  string
	columns []column
	index   map[string]int
	rows    []capture.Moment

	lostRows    int
	lostColumns map[string]bool // names, at most maxColumns
	checks      checks
}

// column holds the values from row first on.
type column struct {
	name   string
	first  int
	values []float64
}

// New returns an empty table.
func New(source string) *Table {
	return &Table{Source: source, index: map[string]int{}, lostColumns: map[string]bool{}}
}

// Rows returns the number of rows.
func (t *Table) Rows() int { return len(t.rows) }

// AddRow adds a row and returns its number; -1 if the table is full.
func (t *Table) AddRow(at capture.Moment) int {
	if len(t.rows) >= maxRows || (len(t.rows)+1)*len(t.columns) > maxCells {
		t.lostRows++
		return -1
	}
	t.rows = append(t.rows, at)
	return len(t.rows) - 1
}

// column returns the number of a column, which it adds if it is new; -1 if the table is full.
func (t *Table) column(name string) int {
	if i, ok := t.index[name]; ok {
		return i
	}
	if len(t.columns) >= maxColumns || (len(t.columns)+1)*(len(t.rows)+1) > maxCells {
		if len(t.lostColumns) < maxColumns {
			t.lostColumns[name] = true
		}
		return -1
	}
	t.index[name] = len(t.columns)
	t.columns = append(t.columns, column{name: name})
	return len(t.columns) - 1
}

// set stores a value; add adds it to the existing one.
func (t *Table) set(row, at int, value float64, add bool) {
	c := &t.columns[at]
	if len(c.values) == 0 {
		c.first = row
	}
	if row < c.first { // a table of sar that begins earlier than the one before it
		c.values = append(gaps(c.first-row), c.values...)
		c.first = row
	}
	for row-c.first >= len(c.values) {
		c.values = append(c.values, math.NaN())
	}
	cell := &c.values[row-c.first]
	if add && !math.IsNaN(*cell) {
		value += *cell
	}
	*cell = value
}

func gaps(n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = math.NaN()
	}
	return all
}

// DropFirst removes the first row, and the columns that have no other values.
func (t *Table) DropFirst() {
	if len(t.rows) == 0 {
		return
	}
	t.rows = t.rows[1:]
	kept := t.columns[:0]
	for _, c := range t.columns {
		if c.first == 0 && len(c.values) > 0 {
			c.values = c.values[1:]
		} else {
			c.first--
		}
		if slices.ContainsFunc(c.values, func(v float64) bool { return !math.IsNaN(v) }) {
			kept = append(kept, c)
		}
	}
	t.columns = kept
}

// Series returns the table with its rows in the order of time; nothing if it has no values. interval is the number of seconds
// that a row covers; 0 if it is unknown. It has no times if timed is false.
func (t *Table) Series(timed bool, interval float64) []capture.Series {
	s := capture.Series{Source: t.Source, Interval: interval}
	order := make([]int, len(t.rows))
	for i := range order {
		order[i] = i
	}
	if timed {
		slices.SortStableFunc(order, func(a, b int) int { return t.rows[a].Time.Compare(t.rows[b].Time) })
		for _, row := range order {
			s.Times = append(s.Times, t.rows[row])
		}
	}
	for _, c := range t.columns {
		if len(c.values) == 0 {
			continue
		}
		values := make([]float64, len(order))
		for i, row := range order {
			values[i] = math.NaN()
			if at := row - c.first; at >= 0 && at < len(c.values) {
				values[i] = c.values[at]
			}
		}
		s.Columns = append(s.Columns, record.Column{Name: c.name, Values: values})
	}
	if len(s.Columns) == 0 {
		return nil
	}
	slices.SortFunc(s.Columns, func(a, b record.Column) int { return cmp.Compare(a.Name, b.Name) })
	return []capture.Series{s}
}

// Notes returns what was left out and what contradicts itself.
func (t *Table) Notes() []record.Note {
	notes := t.checks.notes()
	if t.lostRows > 0 {
		notes = append(notes, Note(capture.LeftOut, "the last %d readings were left out: a table has at most %d rows and %d values", t.lostRows, maxRows, maxCells))
	}
	if n := len(t.lostColumns); n > 0 {
		notes = append(notes, Note(capture.LeftOut, "%d or more columns were left out: a table has at most %d columns and %d values", n, maxColumns, maxCells))
	}
	return notes
}

// Note returns a note with a formatted text.
func Note(rule, format string, args ...any) record.Note {
	return record.Note{Rule: rule, Text: fmt.Sprintf(format, args...)}
}

// Count returns a number and a noun: "1 line", "2 lines".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
