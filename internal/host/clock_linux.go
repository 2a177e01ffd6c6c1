package host

import (
	"os"
	"runtime"
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
