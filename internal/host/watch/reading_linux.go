package watch

import (
	"errors"
	"io/fs"
	"time"
)

// known is a figure, or the error of reading it.
type known[T any] struct {
	figure T
	err    error
}

func know[T any](figure T, err error) known[T] { return known[T]{figure, err} }

// reading holds the values of all counters at one moment. They count from boot or, for the
// process, from its first reading.
type reading struct {
	at   time.Duration // monotonic, since the watch began
	wall time.Time     // what the wall clock showed then

	cpu       known[cpuTimes]
	throttled known[float64]
	thermal   known[int64]
	swap      known[swapped]
	stall     known[float64]
	process   known[threadTimes]
}

// usage returns the usage between the first and the last of these two or more readings.
func usage(readings []reading) Usage {
	a, b := readings[0], readings[len(readings)-1]
	u := Usage{Covered: b.at - a.at}
	u.addCPU(a.cpu, b.cpu)
	if from, to, ok := both(&u, "throttled", a.throttled, b.throttled); ok {
		u.Throttled = max(0, to-from)
	}
	if from, to, ok := both(&u, "thermal", a.thermal, b.thermal); ok {
		u.Thermal = max(0, to-from)
	}
	if from, to, ok := both(&u, "swap", a.swap, b.swap); ok {
		u.SwapIn, u.SwapOut = max(0, to.in-from.in), max(0, to.out-from.out)
	}
	if from, to, ok := both(&u, "memory_stall", a.stall, b.stall); ok {
		u.MemoryStall = max(0, to-from)
	}
	u.addProcess(readings)
	return u
}

// addCPU adds the CPU times. None is negative, although the kernel's idle and iowait may go
// back a little (proc_stat(5)).
func (u *Usage) addCPU(a, b known[cpuTimes]) {
	from, to, ok := both(u, "cpu", a, b)
	if !ok {
		both(u, "steal", a, b)
		return
	}
	u.CPUs = to.cpus
	u.User = max(0, to.user-from.user)
	u.System = max(0, to.system-from.system)
	u.Idle = max(0, to.idle-from.idle)
	u.IOWait = max(0, to.iowait-from.iowait)
	u.Steal = max(0, to.steal-from.steal)
	if to.stealDoubtful {
		u.gap("steal", errNoSteal)
	}
}

// addProcess uses the first and the last reading at which the process existed, so that a
// process that ended shortly before the last reading is included.
func (u *Usage) addProcess(readings []reading) {
	var first, last *reading
	err := errGone
	for i, r := range readings {
		if r.process.err != nil {
			err = r.process.err
			continue
		}
		if first == nil {
			first = &readings[i]
		}
		last = &readings[i]
		u.Process.Threads = max(u.Process.Threads, r.process.figure.threads)
	}
	if first == last { // it existed at one reading, or at none
		u.Process = ProcessUsage{}
		u.gap("process", err)
		return
	}
	u.Process.Covered = last.at - first.at
	u.Process.CPU = last.process.figure.cpu - first.process.figure.cpu
	u.Process.Waiting = last.process.figure.waiting - first.process.figure.waiting
}

// both returns a figure at two moments. If one of them is unknown, it adds a gap and returns
// false.
func both[T any](u *Usage, what string, a, b known[T]) (from, to T, ok bool) {
	err := a.err
	if err == nil {
		err = b.err
	}
	if err != nil {
		u.gap(what, err)
		return from, to, false
	}
	return a.figure, b.figure, true
}

// gap adds a gap with the file and the cause, without the operations of the error.
func (u *Usage) gap(what string, err error) {
	var file *fs.PathError
	if errors.As(err, &file) {
		err = file
	}
	u.Gaps = append(u.Gaps, Gap{What: what, Why: err.Error()})
}
