package steps

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/compare"
	"plinth/internal/report/phrase"
	"plinth/internal/verdict"
)

// effectRow is a row of a table of effects: its keys, the verdict, and further columns.
type effectRow struct {
	keys []string
	record.Verdict
	fewest int // minimum number of units for a verdict
	mark   string
	more   []string
}

// effectTable lists effects with their intervals. If it is too wide it becomes a list: a table
// split between columns would separate a verdict from its interval.
type effectTable struct {
	title  string
	keys   []prose.Column
	more   []prose.Column // after the verdict
	unit   string         // what n counts: "block" or "repeat"
	margin float64
	bare   bool // no row needs a verdict
	rows   []effectRow
}

func (t effectTable) Text(width int) string {
	for _, table := range []prose.Table{t.table(), t.withoutUnits()} {
		if table.Fits(width) {
			return table.Text(width)
		}
	}
	if t.title == "" {
		return t.list().Text(width)
	}
	return prose.Paragraph(t.title).Text(width) + "\n" + t.list().Text(width)
}

func (t effectTable) Markdown() string { return t.table().Markdown() }

func (t effectTable) HTML() string { return t.table().HTML() }

// effectOnly stands in place of a verdict for an effect without one.
const effectOnly = "effect only"

// word returns the verdict with its marks. With too few units for a verdict, or an undeclared
// metric, only the effect is shown.
func (r effectRow) word() string {
	word := string(r.Outcome)
	switch {
	case r.Outcome == record.Unfit || !compare.HasNumber(r.Verdict):
		if word == "" {
			word = phrase.None
		}
	case r.Outcome == "" || r.Outcome == record.Inconclusive && r.N < r.fewest:
		word = effectOnly
	}
	return strings.TrimSpace(word + " " + r.mark)
}

func (t effectTable) table() prose.Table {
	level, same := t.level()
	interval := compare.LevelName(level)
	if !same {
		interval = "Interval"
	}
	table := prose.Table{Title: t.title, Keys: len(t.keys), Columns: slices.Clone(t.keys)}
	table.Columns = append(table.Columns, prose.Column{Title: "Effect", Right: true}, prose.Column{Title: phrase.Capital(interval), Right: true})
	if !same {
		table.Columns = append(table.Columns, prose.Column{Title: "Level", Right: true})
	}
	table.Columns = append(table.Columns, prose.Column{Title: phrase.Capital(t.unit) + "s", Right: true})
	if !t.bare {
		table.Looks = map[int]string{len(table.Columns): "word"}
		table.Columns = append(table.Columns, prose.Column{Title: compare.VerdictTitle})
	}
	table.Columns = append(table.Columns, t.more...)
	for _, r := range t.rows {
		row := append(slices.Clone(r.keys), compare.Effect(r.Verdict, t.margin), compare.Span(r.Verdict, t.margin))
		if !same {
			row = append(row, t.levelOf(r))
		}
		row = append(row, phrase.Count(float64(r.N)))
		if !t.bare {
			row = append(row, r.word())
		}
		table.Rows = append(table.Rows, append(row, r.more...))
	}
	return table
}

// withoutUnits moves the number of units into the title to save a column.
func (t effectTable) withoutUnits() prose.Table {
	table, title := t.table(), phrase.Capital(t.unit)+"s"
	at := slices.IndexFunc(table.Columns, func(c prose.Column) bool { return c.Title == title })
	least, most := 0, 0
	for i, r := range t.rows {
		if i == 0 || r.N < least {
			least = r.N
		}
		most = max(most, r.N)
		table.Rows[i] = slices.Delete(table.Rows[i], at, at+1)
	}
	units := phrase.Plural(most, t.unit)
	if least < most {
		units = fmt.Sprintf("%d to %s", least, units)
	}
	table.Title = strings.TrimPrefix(table.Title+": "+units, ": ")
	table.Columns = slices.Delete(table.Columns, at, at+1)
	return table
}

// level returns the level of the rows with an interval, and whether they share it.
func (t effectTable) level() (level float64, same bool) {
	level = -1
	for _, r := range t.rows {
		switch {
		case compare.Span(r.Verdict, t.margin) == phrase.None:
		case level >= 0 && level != r.Level:
			return 0, false
		default:
			level = r.Level
		}
	}
	return max(level, 0), true
}

func (t effectTable) levelOf(r effectRow) string {
	if compare.Span(r.Verdict, t.margin) == phrase.None {
		return phrase.None
	}
	return strings.TrimSuffix(compare.LevelName(r.Level), " interval")
}

// list returns each row as a sentence.
func (t effectTable) list() prose.List {
	var lines prose.List
	for _, r := range t.rows {
		line := strings.Join(slices.DeleteFunc(slices.Clone(r.keys), func(key string) bool { return key == "" }), ", ") + ": " + t.numbers(r)
		for i, text := range r.more {
			if text != "" && text != phrase.None {
				line += ", " + lower(t.more[i].Title) + " " + text
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// numbers formats effect, interval, units and verdict: "+41 % (95 % interval +30 to +52 %), 12
// blocks: better".
func (t effectTable) numbers(r effectRow) string {
	if !compare.HasNumber(r.Verdict) {
		return r.word()
	}
	text := effectWords(r.Verdict, t.margin) + ", " + phrase.Plural(r.N, t.unit)
	if t.bare {
		return text
	}
	return text + ": " + r.word()
}

// effectWords formats an effect with its interval: "+41 % (95 % interval +30 to +52 %)".
func effectWords(v record.Verdict, margin float64) string {
	text := compare.Effect(v, margin)
	if limits := compare.SignedSpan(v, margin); limits != "" {
		text += " (" + compare.LevelName(v.Level) + " " + limits + ")"
	} else if limits := compare.Span(v, margin); limits != phrase.None {
		text += " (" + compare.LevelName(v.Level) + " " + limits + ")"
	}
	return text
}

// lower returns text with its first letter in lower case.
func lower(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToLower(text[:1]) + text[1:]
}

// verdictOn returns the verdict on a workload and a metric in one environment against another.
// It turns a verdict in the opposite direction, and returns false if all has neither.
func verdictOn(all []record.Verdict, workload, metric, baseline, other string) (record.Verdict, bool) {
	for _, v := range all {
		switch {
		case v.Workload != workload || v.Metric != metric:
		case v.Baseline == baseline && v.Other == other:
			return v, true
		case v.Baseline == other && v.Other == baseline:
			return verdict.Turned(v), true
		}
	}
	return record.Verdict{}, false
}
