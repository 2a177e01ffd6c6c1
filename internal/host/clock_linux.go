package host

import (
	"time"

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
