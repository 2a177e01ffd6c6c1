package kernel

import (
	"slices"

	"plinth/internal/host/perf"
	"plinth/internal/metric"
)

// perfEvent is an event that is counted, and its column.
type perfEvent struct {
	perf.Event
	metric metric.Metric
	// always means that a running CPU causes the event all the time, even if it only keeps awake.
	always bool
	// nodes means that the event distinguishes NUMA nodes: on a machine with one, it is not
	// counted, so that fewer events share the counters.
	nodes bool
}

// perfGroups are the events that are counted. Those of a group are counted at the same time, because
// figures divide them by each other.
var perfGroups = [][]perfEvent{
	{
		rateOf(perf.Cycles, "CPU cycles, not counting those of halted CPUs", true),
		rateOf(perf.Instructions, "retired instructions", true),
	},
	{rateOf(perf.DTLBLoadMisses, "loads whose address was in no data TLB: page walks on Intel from Sandy Bridge on and on AMD Zen; the kernel has no event of its own for page walks", false)},
	{rateOf(perf.LLCLoadMisses, "loads that missed the last-level cache; AMD Zen does not count them per CPU", false)},
	{
		ofNodes(perf.NodeLoads, "loads from memory: on Intel from Haswell on, from the CPU's own NUMA node only; on older Intel, from all nodes"),
		ofNodes(perf.NodeLoadMisses, "loads from the memory of another NUMA node"),
	},
}

func rateOf(e perf.Event, help string, always bool) perfEvent {
	return perfEvent{Event: e, metric: metric.Metric{Name: "perf." + e.Name, Kind: metric.Rate, Unit: "1/s", Help: help + whosePerf}, always: always}
}

func ofNodes(e perf.Event, help string) perfEvent {
	event := rateOf(e, help, false)
	event.nodes = true
	return event
}

// whosePerf is the end of the help text of each event.
const whosePerf = " (of the whole machine, with the load generator and all other processes)"

var (
	perfMeasured = metric.Metric{Name: "perf.measured.{event}", Kind: metric.Ratio, Unit: "1",
		Help: "share of the time in which the event was counted; below 1, events took turns because the processor has too few counters, and the counts are extrapolated"}
	perfMetrics = from("perf_event_open(2)", "perf_event_open(2), perf-list(1)", append(metricsOf(perfGroups), perfMeasured)...)
)

func metricsOf(groups [][]perfEvent) (all []metric.Metric) {
	for _, e := range slices.Concat(groups...) {
		all = append(all, e.metric)
	}
	return all
}
