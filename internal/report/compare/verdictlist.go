package compare

import (
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/report/phrase"
	"plinth/internal/report/show"
)

// list returns each row as a sentence.
func (t verdictTable) list() prose.List {
	var lines prose.List
	for _, row := range t.rows {
		subject := row.subject()
		if t.pairs {
			subject = row.pair() + ", " + subject
		}
		parts := []string{subject + ", " + MetricTitle(row.words, row.Metric)}
		if HasNumber(row.Verdict) {
			parts = append(parts, t.numbers(row))
		}
		if word := row.word(); word != phrase.None {
			parts = append(parts, word)
		}
		lines = append(lines, strings.Join(parts, ": "))
	}
	return lines
}

// words returns the rows with a verdict as a list, for tables in which no row has a number.
func (t verdictTable) words() prose.List {
	t.rows = slices.DeleteFunc(slices.Clone(t.rows), func(r VerdictRow) bool { return r.word() == phrase.None })
	return t.list()
}

// subject returns what a row is about.
func (r VerdictRow) subject() string {
	if r.Cell != nil {
		return r.Cell.String()
	}
	text := r.Workload
	if r.Clients > 0 {
		text += ", " + phrase.Plural(r.Clients, "client")
	}
	if r.Rate > 0 {
		text += ", " + show.Rate(r.Rate)
	}
	return text
}

func (t verdictTable) numbers(row VerdictRow) string {
	v, text := row.Verdict, ""
	if !t.cells {
		text = v.Baseline + " " + value(v, v.A) + ", " + v.Other + " " + value(v, v.B) + ", "
	}
	text += Effect(v, t.margin)
	if isLatency(v) && !t.cells {
		milliseconds, _ := difference(v)
		text += ", " + milliseconds
	}
	if limits := Span(v, t.margin); limits != phrase.None {
		text += " (" + LevelName(v.Level) + " " + limits + ")"
	}
	if !t.cells {
		text += ", " + phrase.Plural(v.Cells, "cell")
	}
	return text + ", " + phrase.Plural(v.N, t.unit)
}
