package watch

import "time"

var ticking = time.Now()

// UntilTick is how long it is until the next tick of a clock that ticks every so
// often. All clocks tick together, as far as they can: whoever waits for ticks by it
// wakes with the others. Waking a process that sleeps costs more CPU time than most
// of what plinth then does, and during a load it would be taken from the load.
func UntilTick(every time.Duration) time.Duration {
	if every <= 0 {
		return 0
	}
	return untilTick(time.Since(ticking), every)
}

func untilTick(now, every time.Duration) time.Duration { return every - now%every }
