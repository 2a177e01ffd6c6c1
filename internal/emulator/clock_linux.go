package emulator

import "time"

// clock is the time since an emulator was started, by CLOCK_MONOTONIC, which Go reads
// without a system call. Tests set the time themselves.
type clock func() time.Duration

func newClock() clock {
	begin := time.Now()
	return func() time.Duration { return time.Since(begin) }
}
