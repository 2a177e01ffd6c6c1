package probe

import (
	"time"
)

const (
	// mostSlices is how many slices there are when there is time: six are the fewest
	// that have a 95 % interval.
	mostSlices = 6
	// between is what fio takes from one step to the next.
	between = 270 * time.Millisecond
	// shortest is the least time that a step is measured in a slice.
	shortest = 100 * time.Millisecond
)

// Shortest is the least time for which a probe can be made: one slice.
const Shortest = 6 * time.Second

// plan is how a time is spent on steps.
type plan struct {
	slices int
	step   time.Duration // of one step in one slice, that counts
}

func newPlan(steps int, total time.Duration) plan {
	slices := int(total / (time.Duration(steps) * (between + shortest)))
	slices = min(max(slices, 1), mostSlices)
	step := total/time.Duration(steps*slices) - between
	return plan{slices, max(step, shortest).Truncate(time.Millisecond)}
}

// slice is how long one slice takes.
func (p plan) slice(steps int) time.Duration {
	return time.Duration(steps) * (p.step + between)
}
