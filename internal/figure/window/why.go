package window

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"plinth/internal/record"
)

// NotRecorded begins the reason of a figure whose columns nobody tried to read.
const NotRecorded = "nothing is recorded for "

// why is why columns are known together in so few seconds: what the run's telemetry
// says of the one that is known least.
func (w *Window) why(known int, columns []string) string {
	switch {
	case len(w.Seconds) == 0:
		return "no second of the window was recorded"
	case known > 0:
		return fmt.Sprintf("known in %d of %d seconds: %s", known, len(w.Seconds), w.reason(columns))
	}
	return w.reason(columns)
}

func (w *Window) reason(columns []string) string {
	least := slices.MinFunc(columns, func(a, b string) int { return w.count(a) - w.count(b) })
	if gap, found := w.longest(least); found {
		return gap.Why
	}
	if w.Run.Telemetry == nil && least != "tps" {
		return "the run was not observed"
	}
	return NotRecorded + least
}

// count is how many seconds of a column are known.
func (w *Window) count(column string) (known int) {
	for _, v := range w.Columns[column] {
		if !math.IsNaN(v) {
			known++
		}
	}
	return known
}

// longest is the gap of a column that lasts longest, within the window.
func (w *Window) longest(column string) (longest record.TelemetryGap, found bool) {
	if w.Run.Telemetry == nil {
		return longest, false
	}
	length := -1.0
	for _, gap := range w.Run.Telemetry.Gaps {
		within := gap.To - max(gap.From, 0)
		if within > length && slices.ContainsFunc(gap.Columns, func(of string) bool { return matches(of, column) }) {
			longest, length, found = gap, within, true
		}
	}
	return longest, found
}

// matches says whether the name of a gap means a column: "pressure.*" is all of one
// source.
func matches(name, column string) bool {
	source, all := strings.CutSuffix(name, ".*")
	if !all {
		return name == column
	}
	begins := func(prefix string) bool { return strings.HasPrefix(column, prefix) }
	return begins(source+".") || slices.ContainsFunc(columnsOf[source], begins)
}

// columnsOf has the prefixes of columns that differ from the name of their source: a source is
// named after the view that is read, and a column keeps its name where PostgreSQL moved what it counts.
var columnsOf = map[string][]string{
	"wal position": {"wal.bytes"},
	"pg_stat_wal":  {"wal.records", "wal.fpi", "wal.buffers_full", "wal.write", "wal.sync"},
	"bgwriter":     {"buffers_"},

	"pg_stat_archiver": {"archiver."},
}
