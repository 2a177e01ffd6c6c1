// Package fault injects faults into environments after their runs: a kill or a power cut while a
// server acknowledges writes, at random times determined by the experiment's seed. It counts the
// surviving writes, and repairs the environment if it can.
package fault

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// Turn is a scheduled fault.
type Turn struct {
	Environment string
	Number      int           // per environment, from 0
	At          time.Duration // after the writes have begun
}

// Moments is the range of the random delay between the start of the writes and the fault.
type Moments struct{ Soonest, Latest time.Duration }

// WholeSeconds spans a whole number of seconds, so that a server that flushes once a second
// (appendfsync everysec) is hit at every phase of its cycle with equal probability.
var WholeSeconds = Moments{time.Second, 4 * time.Second}

// Turns returns the schedule of an experiment's faults. With servers side by side, each round
// goes through the environments in random order, so that all are exposed to the same
// disturbances. Otherwise all faults of one environment come before those of the next, to avoid
// switches.
func Turns(e *experiment.Experiment, m Moments, sideBySide bool) []Turn {
	random := rand.New(rand.NewPCG(e.Seed, 2)) // a sequence independent of the schedule's
	var all []Turn
	for number := range e.Durability.Times {
		var round []Turn
		for _, environment := range e.Environments {
			round = append(round, Turn{environment.Name, number, m.Soonest + time.Duration(random.Int64N(int64(m.Latest-m.Soonest)))})
		}
		random.Shuffle(len(round), func(i, j int) { round[i], round[j] = round[j], round[i] })
		all = append(all, round...)
	}
	if !sideBySide {
		order := func(t Turn) int {
			return slices.IndexFunc(e.Environments, func(e experiment.Environment) bool { return e.Name == t.Environment })
		}
		slices.SortStableFunc(all, func(a, b Turn) int { return order(a) - order(b) })
	}
	return all
}

// Line returns the message that sums up the faults injected into an environment.
func Line(environment string, d record.Durability) string {
	fault := d.FaultName()
	seconds := d.Median(func(s record.Injection) float64 { return s.Took })
	took := fmt.Sprintf("%.1f s", seconds)
	if seconds < 0.1 { // a promotion may need less than a millisecond
		took = fmt.Sprintf("%.1f ms", 1000*seconds)
	}
	text := fmt.Sprintf("%s: %s, answered again after %s; ", environment, fault, took)
	if n := len(d.Injections); n > 1 {
		text = fmt.Sprintf("%s: %d %ss, answered again after %s (median); ", environment, n, fault, took)
	}
	if broke := d.Broke(); broke != "" {
		text = fmt.Sprintf("%s: %s, and it did not recover: %s; ", environment, fault, broke)
	}
	if lost := d.Lost(); lost > 0 {
		return text + fmt.Sprintf("LOST %d of %d acknowledged writes", lost, d.Acknowledged())
	}
	return text + fmt.Sprintf("all %d acknowledged writes survived", d.Acknowledged())
}
