package figure

import (
	"math"
	"slices"

	"plinth/internal/record"
)

// largest is the greatest value of columns that have one only in seconds in which something
// ended (metric.Max): a second without a value is known unless telemetry has a gap there. If
// nothing ended in the whole window, none is the reason.
func (w *window) largest(none string, columns ...string) number {
	known, most := 0, math.Inf(-1)
	gaps := map[string][]record.TelemetryGap{}
	for _, column := range columns {
		gaps[column] = w.gapsOf(column)
	}
	for i, second := range w.seconds {
		missing := false
		for _, column := range columns {
			if v := w.at(column, i); !math.IsNaN(v) {
				most = max(most, v)
			} else if w.columns[column] == nil || slices.ContainsFunc(gaps[column], spans(second)) {
				missing = true
			}
		}
		if !missing {
			known++
		}
	}
	if why := w.tooFew(known, columns); why != "" {
		return number{why: why}
	}
	if math.IsInf(most, -1) {
		return number{why: none}
	}
	return number{value: most}
}

// spans says whether a gap spans a second.
func spans(second float64) func(record.TelemetryGap) bool {
	return func(gap record.TelemetryGap) bool { return gap.From <= second && second <= gap.To }
}

// gapsOf returns the gaps of a column in the run's telemetry.
func (w *window) gapsOf(column string) (gaps []record.TelemetryGap) {
	if w.run.Telemetry == nil {
		return nil
	}
	for _, gap := range w.run.Telemetry.Gaps {
		if slices.ContainsFunc(gap.Columns, func(of string) bool { return matches(of, column) }) {
			gaps = append(gaps, gap)
		}
	}
	return gaps
}

// onlyEmulated is why there is no longest request of other disks: the kernel's counters have
// sums, and a maximum would take tracing each request (block:block_rq_complete).
const onlyEmulated = "the largest single latency is known for emulated devices only; block tracing is not used"

// longestRequest is the longest single request of a kind to the emulated device that holds a
// role, in seconds; of an array, to any of its members.
func (m *maker) longestRequest(role, kind string) number {
	volumes, role := m.volumesOf(role)
	if !slices.ContainsFunc(volumes, func(v record.Volume) bool { return v.Role == role && v.Emulation != nil }) {
		return number{why: onlyEmulated}
	}
	column := "." + kind + "_latency_max"
	columns := m.columnsLike("emulator."+role+"-", column) // members of an array
	if len(columns) == 0 {
		columns = []string{"emulator." + role + column}
	}
	return m.largest("the emulated device answered no "+kind+" in the window", columns...)
}
