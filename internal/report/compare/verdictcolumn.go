package compare

import (
	"slices"
	"strings"

	"plinth/internal/report/phrase"
	"plinth/internal/report/show"
)

// verdictColumn derives a column from the rows.
type verdictColumn struct {
	title string
	right bool
	cell  func(VerdictRow) string
	below func(VerdictRow) string // on a second line of the row; nil for none
	once  func(VerdictRow) string // its form in the title if all rows agree; nil for never

	counts bool // rows without a number have no value
}

// VerdictTitle is the heading of the verdict column.
const VerdictTitle = "Verdict"

func (t verdictTable) columns() []verdictColumn {
	all := t.keyColumns()
	if !t.pairs && (!t.cells || t.rows[0].Cell == nil) { // rows by clients are in the published form, with values
		all = append(all, t.valueColumns()...)
	}
	all = append(all, t.effectColumns()...)
	if !t.any(func(r VerdictRow) bool { return r.word() != phrase.None || r.asked && !t.cells }) {
		return all
	}
	return append(all, verdictColumn{title: VerdictTitle, cell: VerdictRow.word})
}

// keyColumns returns the columns that identify a row.
func (t verdictTable) keyColumns() []verdictColumn {
	workload := verdictColumn{title: "Workload", cell: func(r VerdictRow) string { return r.Workload }}
	columns := []verdictColumn{workload}
	if t.pairs {
		columns[0].once = workload.cell
		columns = append(columns,
			verdictColumn{title: "Environment", cell: func(r VerdictRow) string { return r.Other }},
			verdictColumn{title: "Against", cell: func(r VerdictRow) string { return r.Baseline }})
	}
	if t.any(func(r VerdictRow) bool { return r.clients() > 0 }) {
		columns = append(columns, numbered("Clients", VerdictRow.clients))
	}
	if t.any(func(r VerdictRow) bool { return r.Cell != nil }) {
		columns = append(columns, numbered("Threads", VerdictRow.threads))
	}
	if t.any(func(r VerdictRow) bool { return r.rate() > 0 }) {
		columns = append(columns, verdictColumn{title: "Rate", right: true, cell: func(r VerdictRow) string { return show.Rate(r.rate()) }})
	}
	columns = append(columns, verdictColumn{
		title: "Metric",
		cell:  func(r VerdictRow) string { return MetricShort(r.words, r.Metric) },
		once:  func(r VerdictRow) string { return MetricTitle(r.words, r.Metric) },
	})
	if !t.cells {
		columns = append(columns, t.counted("Cells", "cell", func(r VerdictRow) int { return r.Cells }))
	}
	return columns
}

func (t verdictTable) any(is func(VerdictRow) bool) bool { return slices.ContainsFunc(t.rows, is) }

func (r VerdictRow) clients() int {
	if r.Cell != nil {
		return r.Cell.Clients
	}
	return r.Clients
}

func (r VerdictRow) threads() int {
	if r.Cell != nil {
		return r.Cell.Threads
	}
	return 0
}

func (r VerdictRow) rate() float64 {
	if r.Cell != nil {
		return r.Cell.Rate
	}
	return r.Rate
}

func numbered(title string, number func(VerdictRow) int) verdictColumn {
	return verdictColumn{title: title, right: true, cell: func(r VerdictRow) string { return phrase.Count(float64(number(r))) }}
}

// counted returns a column of counts that may move into the title: "4 cells".
func (t verdictTable) counted(title, noun string, number func(VerdictRow) int) verdictColumn {
	c := numbered(title, number)
	c.counts = true
	c.once = func(r VerdictRow) string { return phrase.Plural(number(r), noun) }
	return c
}

// valueColumns returns the columns of values, with the environments' names as headings.
func (t verdictTable) valueColumns() []verdictColumn {
	return []verdictColumn{
		{title: t.heads[0], right: true, cell: func(r VerdictRow) string { return value(r.Verdict, r.A) }},
		{title: t.heads[1], right: true, cell: func(r VerdictRow) string { return value(r.Verdict, r.B) }},
	}
}

func (t verdictTable) effectColumns() []verdictColumn {
	columns := []verdictColumn{
		{title: "Effect", right: true, cell: func(r VerdictRow) string { return Effect(r.Verdict, t.margin) },
			below: func(r VerdictRow) string { return t.second(r, true) }},
		{title: "Interval", right: true, cell: func(r VerdictRow) string { return Span(r.Verdict, t.margin) },
			below: func(r VerdictRow) string { return t.second(r, false) }},
	}
	if level, same := t.level(); same {
		columns[1].title = LevelName(level)
		if level == 0 {
			columns[1].title = "Range"
		}
	} else {
		if t.any(func(r VerdictRow) bool { return r.Level == 0 && Span(r.Verdict, t.margin) != phrase.None }) {
			columns[1].title = "Interval or range"
		}
		columns = append(columns, verdictColumn{title: "Level", right: true, cell: func(r VerdictRow) string {
			if Span(r.Verdict, t.margin) == phrase.None {
				return phrase.None
			}
			return strings.TrimSuffix(LevelName(r.Level), " interval")
		}})
	}
	units := t.counted(strings.ToUpper(t.unit[:1])+t.unit[1:]+"s", t.unit, func(r VerdictRow) int { return r.N })
	if !t.any(func(r VerdictRow) bool { return Span(r.Verdict, t.margin) != phrase.None }) {
		columns = columns[:1]
	}
	return append(columns, units)
}

// second returns the effect or interval of a latency in milliseconds, for the line below it.
func (t verdictTable) second(r VerdictRow, effect bool) string {
	if t.cells || !isLatency(r.Verdict) || !HasNumber(r.Verdict) {
		return ""
	}
	value, limits := difference(r.Verdict)
	if effect {
		return value
	}
	return limits
}

// level returns the level of the rows with an interval, and whether they share it.
func (t verdictTable) level() (level float64, same bool) {
	level = -1
	for _, r := range t.rows {
		if Span(r.Verdict, t.margin) == phrase.None {
			continue
		}
		if level >= 0 && level != r.Level {
			return 0, false
		}
		level = r.Level
	}
	return max(level, 0), true
}
