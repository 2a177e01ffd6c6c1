package host

import (
	"os"
	"runtime"
	"strconv"
	"time"

	"plinth/internal/host/proc"

	"golang.org/x/sys/unix"
)

// ClockOffset is the wall clock minus the monotonic clock. It stays the same,
// but for the slow corrections of NTP, until somebody sets the wall clock: a
// change of it is how far the clock was stepped.
func ClockOffset() time.Duration {
	var offset, narrowest time.Duration
	for range 3 {
		before := clock(unix.CLOCK_MONOTONIC)
		wall := clock(unix.CLOCK_REALTIME)
		width := clock(unix.CLOCK_MONOTONIC) - before
		// The narrowest of three was the least disturbed in between.
		if narrowest == 0 || width < narrowest {
			narrowest, offset = width, wall-before-width/2
		}
	}
	return offset
}

func clock(id int32) time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(id, &t) != nil {
		return 0 // only for an id that is not there
	}
	return time.Duration(t.Nano())
}

// CPUTime is the processor time that this process itself has used since it
// began, in user and kernel mode; its children are not counted (getrusage(2)).
func CPUTime() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0 // never for RUSAGE_SELF
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// ProcessTime is the CPU time that the first thread of a process has used, which is
// all of a process with one; false where it is not known. It is exact to the
// nanosecond (Documentation/scheduler/sched-stats.rst), unlike the ticks of
// /proc/PID/stat.
func ProcessTime(pid int) (time.Duration, bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/schedstat")
	if err != nil {
		return 0, false
	}
	s, known := proc.ParseSchedstat(text)
	return time.Duration(s.Running), known
}

// ThreadTime does something on one thread and returns how much CPU time that took
// (CLOCK_THREAD_CPUTIME_ID). What it starts elsewhere does not count.
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
