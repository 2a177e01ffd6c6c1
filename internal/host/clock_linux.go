package host

import (
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"

	"plinth/internal/host/proc"

	"golang.org/x/sys/unix"
)

// ClockOffset returns the wall clock minus the monotonic clock. Apart from slow NTP
// corrections it is constant until the wall clock is set: a change is the size of the step.
func ClockOffset() time.Duration {
	var offset, narrowest time.Duration
	for range 3 {
		before := clock(unix.CLOCK_MONOTONIC)
		wall := clock(unix.CLOCK_REALTIME)
		width := clock(unix.CLOCK_MONOTONIC) - before
		// Of three samples the narrowest was disturbed least.
		if narrowest == 0 || width < narrowest {
			narrowest, offset = width, wall-before-width/2
		}
	}
	return offset
}

func clock(id int32) time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(id, &t) != nil {
		return 0 // only for an invalid id
	}
	return time.Duration(t.Nano())
}

// CPUTime returns the CPU time that this process has used since it started, in user and
// kernel mode, without its children (getrusage(2)).
func CPUTime() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0 // never for RUSAGE_SELF
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// ProcessTime returns the CPU time used by the main thread of a process (all of it, if the
// process has one thread), and false if it is unknown. It has nanosecond resolution
// (Documentation/scheduler/sched-stats.rst), unlike the ticks of /proc/PID/stat.
func ProcessTime(pid int) (time.Duration, bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/schedstat")
	if err != nil {
		return 0, false
	}
	s, known := proc.ParseSchedstat(text)
	return time.Duration(s.Running), known
}

// ProcessTimeBeside returns ProcessTime for the IDs of a server's processes as the server reports them:
// in a container, they are those of its own namespace, and may belong to other processes outside. The
// processes are children of the server's first process, whose ID here is server.
func ProcessTimeBeside(server int) func(pid int) (time.Duration, bool) {
	known := map[int]int{} // IDs here, by those that the server reports
	return func(pid int) (time.Duration, bool) {
		here, found := known[pid]
		if !found || !isChild(here, pid, server) {
			if here, found = childOf(server, pid); !found {
				return 0, false
			}
			known[pid] = here
		}
		return ProcessTime(here)
	}
}

// childOf returns the child of server that has the ID inner in its own namespace.
func childOf(server, inner int) (pid int, found bool) {
	all, err := processes()
	if err != nil {
		return 0, false
	}
	i := slices.IndexFunc(all, func(pid int) bool { return isChild(pid, inner, server) })
	if i < 0 {
		return 0, false
	}
	return all[i], true
}

func isChild(pid, inner, server int) bool {
	process, err := ReadProcess(pid)
	if err != nil || process.Parent != server {
		return false
	}
	id, err := InnerPID(pid)
	return err == nil && id == inner
}

// ThreadTime calls do on a locked OS thread and returns the CPU time that thread used
// (CLOCK_THREAD_CPUTIME_ID). Work that do starts on other threads does not count.
func ThreadTime(do func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := threadTime()
	do()
	return threadTime() - before
}

func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
