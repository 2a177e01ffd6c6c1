package watch

import "time"

var ticking = time.Now()

// UntilTick returns the time until the next tick of a clock with the given interval. All
// such clocks are aligned, so that their users wake at the same time. Waking a sleeping
// process costs more CPU time than most of plinth's work afterwards, and during a load it
// would be taken from the load.
func UntilTick(every time.Duration) time.Duration {
	if every <= 0 {
		return 0
	}
	return untilTick(time.Since(ticking), every)
}

func untilTick(now, every time.Duration) time.Duration {
	return every - (now%every+every)%every // also for a time before the first tick, of a clock that was set back
}
