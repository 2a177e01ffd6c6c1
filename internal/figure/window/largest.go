package window

import (
	"math"
	"slices"

	"plinth/internal/record"
)

// Largest is the greatest value of columns that have one only in seconds in which something
// ended (metric.Max): a second without a value is known unless telemetry has a gap there. If
// nothing ended in the whole window, none is the reason.
func (w *Window) Largest(none string, columns ...string) Number {
	known, most := 0, math.Inf(-1)
	gaps := map[string][]record.TelemetryGap{}
	for _, column := range columns {
		gaps[column] = w.gapsOf(column)
	}
	for i, second := range w.Seconds {
		missing := false
		for _, column := range columns {
			if v := w.At(column, i); !math.IsNaN(v) {
				most = max(most, v)
			} else if w.Columns[column] == nil || slices.ContainsFunc(gaps[column], spans(second)) {
				missing = true
			}
		}
		if !missing {
			known++
		}
	}
	if why := w.TooFew(known, columns); why != "" {
		return Number{Why: why}
	}
	if math.IsInf(most, -1) {
		return Number{Why: none}
	}
	return Number{Value: most}
}

// spans says whether a gap spans a second.
func spans(second float64) func(record.TelemetryGap) bool {
	return func(gap record.TelemetryGap) bool { return gap.From <= second && second <= gap.To }
}

// gapsOf returns the gaps of a column in the run's telemetry.
func (w *Window) gapsOf(column string) (gaps []record.TelemetryGap) {
	if w.Run.Telemetry == nil {
		return nil
	}
	for _, gap := range w.Run.Telemetry.Gaps {
		if slices.ContainsFunc(gap.Columns, func(of string) bool { return matches(of, column) }) {
			gaps = append(gaps, gap)
		}
	}
	return gaps
}
