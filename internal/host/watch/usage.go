// Package watch measures what a machine and its processes do while a load runs. A Watch
// reads the machine and one process several times a second; two readings of all processes,
// before and after the load, show what other processes used. Package host describes the
// machine itself.
package watch

import (
	"time"
)

// Usage holds what a machine and one process did between two readings.
type Usage struct {
	Covered time.Duration // between the two readings
	CPUs    int           // online CPUs of the machine at the later reading

	// Seconds of CPU time over all CPUs of the machine, in steps of 10 ms
	// (proc_stat(5)). User holds nice and guests, System holds irq and softirq.
	// Steal is time in which this machine wanted to run but the hypervisor ran others.
	User, System, Idle, IOWait, Steal float64

	// Throttled is the seconds for which CPU quotas throttled the cgroup of the
	// watched process or its ancestors. Each CPU counts separately and the kernel
	// counts at the end of each wait, so it may exceed Covered (cpu.stat:
	// throttled_usec of cgroup v2, throttled_time of v1).
	Throttled float64
	// Thermal is how often a core or a package was slowed down because of its temperature
	// (thermal_throttle/{core,package}_throttle_count; Intel only).
	Thermal int64
	// SwapIn and SwapOut are pages (pswpin and pswpout of /proc/vmstat).
	SwapIn, SwapOut int64
	// MemoryStall is the seconds in which at least one task waited for memory
	// ("some" of /proc/pressure/memory; Documentation/accounting/psi.rst).
	MemoryStall float64

	Process ProcessUsage // of the watched process

	Gaps []Gap // what could not be read; the corresponding figures are zero and meaningless
}

// ProcessUsage is the usage of the threads of one process. It misses what a thread did
// between the last reading and its end, at most one interval of the watch.
type ProcessUsage struct {
	// Covered is the time between the first and the last reading of the process;
	// shorter than that of the machine if the process ended in between.
	Covered time.Duration
	Threads int // the most at one reading
	// Seconds over all threads: CPU of running, Waiting of being ready to run in
	// a run queue (schedstat of each thread; Documentation/scheduler/sched-stats.rst).
	// A wait counts when it ends.
	CPU, Waiting float64
}

// Tree holds what a process and all its descendants have used since they started, including
// those that have ended and were waited for.
type Tree struct {
	CPU float64 // seconds, in steps of 10 ms
	// IO is bytes read from and written to block devices (read_bytes and
	// write_bytes of proc_pid_io(5)); a write counts when it makes a page dirty.
	// -1 if it is not readable for any of the processes.
	IO int64
	// Hidden is the number of processes whose I/O is not readable and is missing from
	// IO. An unprivileged user can read only their own processes, and in a container
	// not even root can read all.
	Hidden int
}

// IdleThread is a plinth thread that only keeps a CPU awake: it runs when no other thread
// would, and its time counts as idle.
type IdleThread struct {
	CPU     int `json:"cpu"`
	Process int `json:"process,omitempty"`
	Thread  int `json:"thread"`
}

// BusyProcess is a process that used CPU time during the observation.
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
