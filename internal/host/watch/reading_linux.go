package watch

import (
	"errors"
	"io/fs"
	"time"
)

// known is a figure that was read, or why it could not be.
type known[T any] struct {
	figure T
	err    error
}

func know[T any](figure T, err error) known[T] { return known[T]{figure, err} }

// reading is what all counters showed at one moment. They count up since boot
// or, for the process, since it was first seen.
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

// usage is what happened between the first and the last of these readings, of
// which there are two or more.
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

// addCPU: no time goes below zero, because the kernel's idle and iowait may go
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

// addProcess takes the first and the last reading at which the process was
// there: one that ended a moment before the last reading is judged by what it
// did until then.
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
	if first == last { // it was there once, or not at all
		u.Process = ProcessUsage{}
		u.gap("process", err)
		return
	}
	u.Process.Covered = last.at - first.at
	u.Process.CPU = last.process.figure.cpu - first.process.figure.cpu
	u.Process.Waiting = last.process.figure.waiting - first.process.figure.waiting
}

// both is a figure at two moments; false, and a gap, when one of them is unknown.
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

// gap names the file and the cause, not the steps that led there.
func (u *Usage) gap(what string, err error) {
	var file *fs.PathError
	if errors.As(err, &file) {
		err = file
	}
	u.Gaps = append(u.Gaps, Gap{What: what, Why: err.Error()})
}
