package postgres

import (
	"fmt"
	"math"
	"strings"

	"plinth/internal/capture"
	"plinth/internal/record"
)

// compare checks columns that are called TPS: a rate must agree with the growth of xact_commit, and does
// not rise in each row by nearly the same.
func (t *table) compare(series []capture.Series) []record.Note {
	var notes []record.Note
	times := t.rows.Times()
	for _, column := range t.own {
		name := strings.ToLower(column.name)
		if name != "tps" && name != "qps" || len(column.values) != column.rows || column.rows != len(times) {
			continue
		}
		if committed, ok := t.committed(series); ok {
			if text, wrong := disagrees(column, committed, times); wrong {
				notes = append(notes, note(capture.Contradiction, "%s", text))
			}
			continue
		}
		if text, wrong := counts(column); wrong {
			notes = append(notes, note(capture.Contradiction, "%s", text+t.walEach(column, times)))
		}
	}
	return notes
}

// committed returns the growth of xact_commit over the series.
func (t *table) committed(series []capture.Series) (float64, bool) {
	if len(series) == 0 {
		return 0, false
	}
	for _, column := range series[0].Columns {
		if strings.HasSuffix(column.Name, "pg_stat_database.xact_commit") && len(t.tables) == 1 {
			growth := column.Values[len(column.Values)-1] - column.Values[0]
			return growth, growth >= 0
		}
	}
	return 0, false
}

// disagrees reports whether the transactions of a rate are less than half or more than twice those that
// were committed.
func disagrees(column *ownColumn, committed float64, times []capture.Moment) (string, bool) {
	total, duration := transactions(column, times)
	if duration <= 0 || total == committed || total >= committed/2 && total <= committed*2 {
		return "", false
	}
	return fmt.Sprintf("the column %s adds up to %.0f transactions in %.0f s, but xact_commit rose by %.0f", column.name, total, duration, committed), true
}

func transactions(column *ownColumn, times []capture.Moment) (total, duration float64) {
	for i := 1; i < len(column.values); i++ {
		step := times[i].Time.Sub(times[i-1].Time).Seconds()
		total += column.values[i] * step
		duration += step
	}
	return total, duration
}

// steady is how many steps of nearly the same size are not a coincidence.
const steady = 8

// counts reports whether a column rises in each row by nearly the same, as a count does.
func counts(column *ownColumn) (string, bool) {
	if len(column.values) <= steady {
		return "", false
	}
	least, most := math.Inf(1), 0.0
	for i := 1; i < len(column.values); i++ {
		step := column.values[i] - column.values[i-1]
		least, most = min(least, step), max(most, step)
	}
	if least <= 0 || most > 2*least {
		return "", false
	}
	return fmt.Sprintf("the column %s rises by %g to %g in each of %d steps, from %s to %s: it counts something, and is no rate",
		column.name, least, most, len(column.values)-1, column.first, column.last), true
}

// walEach returns what the volume of WAL would be for each transaction, if the file has it.
func (t *table) walEach(rate *ownColumn, times []capture.Moment) string {
	total, duration := transactions(rate, times)
	for _, column := range t.own {
		name := strings.ReplaceAll(strings.ToLower(column.name), "_", "")
		if name != "walbytes" || len(column.values) != column.rows || total <= 0 {
			continue
		}
		growth := column.values[len(column.values)-1] - column.values[0]
		if growth > 0 {
			return fmt.Sprintf(" (as a rate: %.0f transactions in %.0f s, while %s rose by %.0f: %.0f bytes each)", total, duration, column.name, growth, growth/total)
		}
	}
	return ""
}
