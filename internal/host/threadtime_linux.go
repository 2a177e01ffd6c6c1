package host

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

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
