// Package watch reads what a machine and its processes do: a watch reads the machine and one
// process a few times a second while a load runs, and two readings of all processes say who
// used the rest. Package host says what the machine is.
package watch

import (
	"time"
)

// Usage is what a machine and one process did between two readings.
type Usage struct {
	Covered time.Duration // between the two readings
	CPUs    int           // online CPUs of the machine at the later reading

	// Seconds of CPU time over all CPUs of the machine, in steps of 10 ms
	// (proc_stat(5)). User holds nice and guests, System holds irq and softirq.
	// Steal is what the hypervisor gave to others while this machine wanted to run.
	User, System, Idle, IOWait, Steal float64

	// Throttled is for how many seconds CPU quotas held back the cgroup of the
	// watched process, or one above it. Each CPU counts for itself and the kernel
	// counts at the end of each wait, so that it may exceed Covered (cpu.stat:
	// throttled_usec of cgroup v2, throttled_time of v1).
	Throttled float64
	// Thermal is how often a core or a package was slowed down for its heat
	// (thermal_throttle/{core,package}_throttle_count; Intel only).
	Thermal int64
	// SwapIn and SwapOut are pages (pswpin and pswpout of /proc/vmstat).
	SwapIn, SwapOut int64
	// MemoryStall is for how many seconds at least one task waited for memory
	// ("some" of /proc/pressure/memory; Documentation/accounting/psi.rst).
	MemoryStall float64

	Process ProcessUsage // of the process that was watched

	Gaps []Gap // what could not be read; its figures above are zero and mean nothing
}

// ProcessUsage is what the threads of one process did. A thread that ends loses
// what it did since the reading before, one pace of the watch at most.
type ProcessUsage struct {
	// Covered is the time between the first and the last reading of the process;
	// shorter than that of the machine when the process ended on the way.
	Covered time.Duration
	Threads int // the most at one reading
	// Seconds over all threads: CPU of running, Waiting of being ready to run in
	// a run queue (schedstat of each thread; Documentation/scheduler/sched-stats.rst).
	// A wait counts when it ends.
	CPU, Waiting float64
}

// Tree is what a process and all its descendants have used since they began,
// those that have ended and were waited for included.
type Tree struct {
	CPU float64 // seconds, in steps of 10 ms
	// IO is bytes read from and written to block devices (read_bytes and
	// write_bytes of proc_pid_io(5)); a write counts when it makes a page dirty.
	// -1 where none of the processes may be looked at.
	IO int64
	// Hidden is how many of the processes may not be looked at: what they read
	// and wrote is missing from IO. An ordinary user sees his own processes only,
	// and in a container not even root sees all.
	Hidden int
}

// IdleThread is a thread of plinth's own that only keeps a CPU awake: it runs where
// nobody else would, and its time counts as idle.
type IdleThread struct {
	CPU     int `json:"cpu"`
	Process int `json:"-"`
	Thread  int `json:"thread"`
}

// BusyProcess is a process that used CPU while the machine was looked at.
type BusyProcess struct {
	PID     int     `json:"pid"`
	Command string  `json:"command"` // comm: 15 bytes, without arguments
	CPU     float64 `json:"cpus"`    // CPUs used, on average
}

// Gap is a figure of a Usage that could not be read, and why.
type Gap struct {
	// What is cpu (all CPU times; steal is then another gap), steal, thermal, throttled,
	// swap, memory_stall or process.
	What string
	Why  string
}
