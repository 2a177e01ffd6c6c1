// Package perf counts events of the processor, such as cycles and cache misses, with the kernel's
// performance events (perf_event_open(2)). It only counts: it takes no samples, and it changes
// nothing on the machine, in particular not kernel.perf_event_paranoid.
//
// Each event is counted on every CPU, for all processes. If a processor has fewer counters than there
// are events, the kernel lets the events take turns (it multiplexes them) and reports how long each
// one was counted; counts are extrapolated from that.
//
// The cost of a reading is one system call and, for a busy CPU, one interrupt on that CPU, for each
// group of events (BenchmarkRead). Where events take turns, the kernel interrupts each busy CPU every
// few milliseconds (perf_event_mux_interval_ms in sysfs), which depends on the processor and was not
// measured. Counting one control group was rejected: the kernel would program the counters at each
// switch between a task of the group and another one, tens of thousands of times a second.
//
// The events of the processor were not tested on hardware: the machines on which plinth is
// developed are virtual machines without such counters. What does not depend on the processor
// (opening, reading, extrapolating) is tested with the kernel's software events.
package perf

// Event is an event to count.
type Event struct {
	Name   string // as perf-list(1) spells it
	kind   uint32 // type of struct perf_event_attr
	config uint64
}

// The types of events, from include/uapi/linux/perf_event.h (Linux 6.1).
const (
	typeHardware = 0 // PERF_TYPE_HARDWARE
	typeSoftware = 1 // PERF_TYPE_SOFTWARE
	typeHWCache  = 3 // PERF_TYPE_HW_CACHE
)

// The generic events of the processor. What each one counts on a model is defined in the kernel, for
// x86 in arch/x86/events/intel/core.c (here as of commit 4383cfa18c5b) and amd/core.c. There is no
// generic event for page walks: DTLBLoadMisses counts those of loads on Intel's processors from Sandy
// Bridge on (DTLB_LOAD_MISSES.MISS_CAUSES_A_WALK or WALK_COMPLETED) and on AMD's Zen ("L2 DTLB misses
// (PT walks)"). AMD's Zen has none of the LLC and node events.
var (
	Cycles         = Event{"cycles", typeHardware, 0}       // PERF_COUNT_HW_CPU_CYCLES
	Instructions   = Event{"instructions", typeHardware, 1} // PERF_COUNT_HW_INSTRUCTIONS
	DTLBLoadMisses = loads("dTLB-load-misses", cacheDTLB, resultMiss)
	LLCLoadMisses  = loads("LLC-load-misses", cacheLL, resultMiss)
	// NodeLoads and NodeLoadMisses count loads from memory. A miss is a load from another NUMA
	// node. On Intel's processors from Haswell on, NodeLoads counts only those from the CPU's own
	// node; on older ones, those from all nodes.
	NodeLoads      = loads("node-loads", cacheNode, resultAccess)
	NodeLoadMisses = loads("node-load-misses", cacheNode, resultMiss)
)

// The events that the kernel itself counts. They exist on every machine.
var (
	CPUClock   = Event{"cpu-clock", typeSoftware, 0}   // PERF_COUNT_SW_CPU_CLOCK, in nanoseconds
	PageFaults = Event{"page-faults", typeSoftware, 2} // PERF_COUNT_SW_PAGE_FAULTS
)

// Caches and results of PERF_TYPE_HW_CACHE.
const (
	cacheLL   = 2 // PERF_COUNT_HW_CACHE_LL
	cacheDTLB = 3 // PERF_COUNT_HW_CACHE_DTLB
	cacheNode = 6 // PERF_COUNT_HW_CACHE_NODE

	opRead = 0 // PERF_COUNT_HW_CACHE_OP_READ

	resultAccess = 0 // PERF_COUNT_HW_CACHE_RESULT_ACCESS
	resultMiss   = 1 // PERF_COUNT_HW_CACHE_RESULT_MISS
)

// loads returns an event of a cache that loads cause. Its config is the cache, the operation in the
// second byte and the result in the third (perf_event_open(2)).
func loads(name string, cache, result uint64) Event {
	return Event{name, typeHWCache, cache | opRead<<8 | result<<16}
}
