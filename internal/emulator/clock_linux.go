package emulator

import "time"

// clock is the time since an emulator was started, by CLOCK_MONOTONIC. Go reads it
// without a system call.
type clock struct{ begin time.Time }

func newClock() clock { return clock{time.Now()} }

func (c clock) now() time.Duration { return time.Since(c.begin) }
