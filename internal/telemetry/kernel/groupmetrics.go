package kernel

import (
	"slices"

	"plinth/internal/metric"
)

// The metrics of the server's control groups; of plinth's own, where what it starts
// is as well, for each controller of which the server has no group of its own.
var (
	groupUsage       = groupRate("cpu.usage", "s/s", "CPU time of the group; in version 1 of that in cpuacct, which need not be that in cpu")
	groupThrottled   = groupRate("cpu.throttled", "s/s", "time that CPU quotas held back the group, or one above it; each CPU counts for itself")
	groupNrThrottled = groupRate("cpu.nr_throttled", "1/s", "periods in which a CPU quota was used up, of the group and those above it")
	groupMemory      = metric.Metric{Name: "cgroup.memory.current", Kind: metric.Gauge, Unit: "bytes",
		Help: "memory of the group, its page cache included" + whoseGroup}
	groupLimit = metric.Metric{Name: "cgroup.memory.limit", Kind: metric.Gauge, Unit: "bytes",
		Help: "the tightest limit of the group and those above it" + whoseGroup}
	groupIO = []metric.Metric{ // as ioSum
		groupRate("io.read_bytes", "bytes/s", "bytes that the group read from disks; of a stack of devices only the lowest that is there; of the nearest group above where it counts no I/O"),
		groupRate("io.write_bytes", "bytes/s", "bytes that the group wrote; in version 1 without what the page cache wrote later"),
		groupRate("io.reads", "1/s", "reads of the group"),
		groupRate("io.writes", "1/s", "writes of the group"),
	}
	groupPressure = from("cgroup v2: {cpu,io,memory}.pressure", "Documentation/admin-guide/cgroup-v2.rst",
		groupRate("pressure.{resource}.some", "s/s", "how much of the second at least one thread of the group waited for it: cpu, io, memory"),
		groupRate("pressure.{resource}.full", "s/s", "how much of the second all threads of the group with something to do waited for it at once"),
	)
	cgroupMetrics = slices.Concat(
		from("cgroup v2: cpu.stat; v1: cpuacct.usage, cpu.stat", "cgroups(7)", groupUsage, groupThrottled, groupNrThrottled),
		from("cgroup v2: memory.current, memory.max; v1: memory.usage_in_bytes, memory.limit_in_bytes", "cgroups(7)", groupMemory, groupLimit),
		from("cgroup v2: io.stat; v1: blkio.throttle.io_service_bytes, io_serviced", "cgroups(7)", groupIO...),
		groupPressure,
	)
)

func groupRate(name, unit, help string) metric.Metric {
	return metric.Metric{Name: "cgroup." + name, Kind: metric.Rate, Unit: unit, Help: help + whoseGroup}
}

// whoseGroup ends what is said of each of them.
const whoseGroup = " (the server's group, or plinth's own where the server has none)"
