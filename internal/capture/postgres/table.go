package postgres

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// Limits of what is kept of a table.
const (
	maxTableFacts = 2000
	maxColumns    = 200
)

// table collects the rows of a query's result: with times, a series of what PostgreSQL counts; without,
// facts. Columns whose names are not PostgreSQL's own are described, but not trusted: only the script
// that made the file knows what they count.
type table struct {
	source  string
	columns []string // as in the text
	names   []string // in lower case
	view    *view
	timeAt  int // the column with times; -1 if there is none
	homes   []string

	rows     capture.Rows
	now      capture.Moment
	sums     map[string]float64 // of the current sample: pg_stat_io has a row for each context
	inSample map[string]bool    // the keys of its rows
	before   int                // how many rows the sample before had
	factors  map[string]float64
	tables   map[string]bool // the databases and other keys
	own      []*ownColumn
	facts    []capture.Fact
	index    map[string]int
	repeated int
	left     int
	taken    int
	last     []int // indexes of facts that the last row set
}

func newTable(source string, columns []string) *table {
	t := &table{source: source, columns: columns, timeAt: -1, sums: map[string]float64{}, factors: map[string]float64{}, tables: map[string]bool{}, inSample: map[string]bool{}, index: map[string]int{}}
	for i, column := range columns {
		name := strings.ToLower(column)
		t.names = append(t.names, name)
		if times[name] && t.timeAt < 0 {
			t.timeAt = i
		}
	}
	t.view = viewOf(t.names)
	for i, name := range t.names {
		home := homes[name]
		if t.view != nil && t.view.columns[name] {
			home = t.view.name
		}
		t.homes = append(t.homes, home)
		if i != t.timeAt && home == "" {
			t.own = append(t.own, &ownColumn{name: columns[i], at: i})
		}
	}
	return t
}

// known returns how many columns are PostgreSQL's own.
func (t *table) known() int {
	n := 0
	for _, home := range t.homes {
		if home != "" {
			n++
		}
	}
	return n
}

// shared stands for the blank name of a database: its row is of the objects that databases share.
const shared = "(shared)"

// key returns the name of a row: the database, or the setting.
func (t *table) key(cells []string) string {
	if t.view == nil {
		if i := slices.Index(t.names, "datname"); i >= 0 {
			return cmp.Or(cells[i], shared)
		}
		return ""
	}
	var parts []string
	for i, name := range t.names {
		if slices.Contains(t.view.keys, name) && name != "schemaname" {
			parts = append(parts, cmp.Or(cells[i], shared))
		}
	}
	return strings.Join(parts, ".")
}

// row takes a row, read at that moment, and reports whether it is one.
func (t *table) row(cells []string, at capture.Moment) bool {
	if len(cells) != len(t.columns) {
		return false
	}
	if t.timeAt >= 0 {
		moment, ok := capture.Stamp(cells[t.timeAt])
		if !ok {
			return false
		}
		at = moment
	}
	t.taken++
	t.last = t.last[:0]
	if at.Clock == capture.NoClock {
		t.state(cells)
		return true
	}
	t.begin(cells, at)
	t.sample(cells)
	return true
}

// together is how long the rows of one sample may be apart: clock_timestamp() differs in each.
const together = 500 * time.Millisecond

// begin begins another sample, unless the row is a further one of the same: of another database, or of
// another type of backend.
func (t *table) begin(cells []string, at capture.Moment) {
	key := t.key(cells)
	if t.rows.Len() == 0 || at != t.now && (t.inSample[key] || at.Clock != t.now.Clock || at.Time.Sub(t.now.Time).Abs() > together) {
		t.rows.Add(at)
		t.now, t.before = at, len(t.inSample)
		clear(t.sums)
		clear(t.inSample)
	}
	if len(t.inSample) < maxTableFacts {
		t.inSample[key] = true
	}
}

// sample adds a row to the series.
func (t *table) sample(cells []string) {
	for _, column := range t.own {
		column.take(cells[column.at], t.now)
	}
	key := t.key(cells)
	isIO := t.view != nil && t.view.name == "pg_stat_io"
	if isIO && !t.isRelation(cells) {
		return
	}
	if !t.tables[key] && len(t.tables) == maxColumns {
		t.left++
		return
	}
	t.tables[key] = true
	for i, cell := range cells {
		name, factor, ok := t.metric(i)
		value, isNumber := number(cell)
		if !ok || !isNumber {
			continue
		}
		if isIO {
			name = strings.Replace(name, "*", t.backend(cells), 1)
			t.sums[name] += value
			value = t.sums[name]
		} else if key != "" {
			name = key + "\x00" + name
		}
		t.factors[name] = factor
		t.rows.Set(name, value)
	}
}

// metric returns the metric of a column, and the factor by which its rate is multiplied, 0 for a state.
func (t *table) metric(column int) (name string, factor float64, ok bool) {
	if column == t.timeAt || t.homes[column] == "" {
		return "", 0, false
	}
	name = t.homes[column] + "." + t.names[column]
	if counter, ok := counters[name]; ok {
		return counter.name, counter.factor, true
	}
	return name, 0, t.names[column] == "numbackends"
}

func (t *table) isRelation(cells []string) bool {
	i := slices.Index(t.names, "object")
	return i < 0 || cells[i] == "relation"
}

func (t *table) backend(cells []string) string {
	if i := slices.Index(t.names, "backend_type"); i >= 0 {
		return cells[i]
	}
	return "all"
}

// dropRow drops the last row, whose end is missing.
func (t *table) dropRow() {
	for _, i := range t.last {
		t.facts[i].Name = ""
	}
	if t.rows.Len() > 0 {
		t.rows.DropLast()
		t.before = 0 // the others are complete
		for _, column := range t.own {
			column.drop()
		}
	}
	t.taken--
}

// incomplete drops the last sample if it has fewer rows than the one before: the text ends within it.
func (t *table) incomplete() []record.Note {
	if t.rows.Len() < 2 || len(t.inSample) >= t.before {
		return nil
	}
	t.rows.DropLast()
	return []record.Note{note(capture.Cut, "the last sample has %d rows and is left out: the one before has %d", len(t.inSample), t.before)}
}

// found returns what the table says.
func (t *table) found() capture.Found {
	found := capture.Found{Notes: t.incomplete()}
	for _, fact := range t.facts {
		if fact.Name != "" {
			found.Facts = append(found.Facts, fact)
		}
	}
	found.Series = t.rows.Series("postgres", 0)
	found.Notes = append(found.Notes, t.compare(found.Series)...)
	for i := range found.Series {
		t.finish(&found.Series[i])
	}
	if t.rows.Len() > 0 {
		facts, notes := describe(t.own)
		found.Facts, found.Notes = append(found.Facts, facts...), append(found.Notes, notes...)
	}
	if t.repeated > 0 {
		found.Notes = append(found.Notes, note(capture.LeftOut, "the tables have no times: %d earlier values of the same names are left out", t.repeated))
	}
	if t.left > 0 {
		found.Notes = append(found.Notes, note(capture.LeftOut, "%d values are left out: %d are kept", t.left, maxTableFacts))
	}
	found.Notes = append(found.Notes, t.rows.Notes()...)
	return found
}

// finish turns counters into rates. If there are several databases, names of columns have the database.
func (t *table) finish(series *capture.Series) {
	for i, column := range series.Columns {
		key, name, keyed := strings.Cut(column.Name, "\x00")
		factor := t.factors[column.Name]
		if !keyed {
			name = key
		} else if len(t.tables) > 1 {
			home, last, _ := strings.Cut(name, ".")
			name = home + "." + key + "." + last
		}
		series.Columns[i].Name = name
		if factor != 0 {
			series.Rate(name, name, factor)
		}
	}
}
