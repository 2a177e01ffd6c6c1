package figure

import (
	"slices"

	"plinth/internal/figure/window"
	"plinth/internal/record"
)

// onlyEmulated is why there is no longest request of other disks: the kernel's counters have
// sums, and a maximum would take tracing each request (block:block_rq_complete).
const onlyEmulated = "the largest single latency is known for emulated devices only; block tracing is not used"

// longestRequest is the longest single request of a kind to the emulated device that holds a
// role, in seconds; of an array, to any of its members.
func (m *maker) longestRequest(role, kind string) window.Number {
	volumes, role := m.volumesOf(role)
	if !slices.ContainsFunc(volumes, func(v record.Volume) bool { return v.Role == role && v.Emulation != nil }) {
		return window.Number{Why: onlyEmulated}
	}
	device := emulatorOf(role)
	column := "." + kind + "_latency_max"
	columns := m.ColumnsLike(device+"-", column) // members of an array
	if len(columns) == 0 {
		columns = []string{device + column}
	}
	return m.Largest("the emulated device answered no "+kind+" in the window", columns...)
}
