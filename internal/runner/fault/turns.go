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

// Line returns the message that sums up the faults injected into an environment: "kept all 5983 writes in a
// power cut, answered in 2.7 s". It fits on a line of 80 characters unless the server did not recover.
func Line(environment string, d record.Durability) string {
	text := fmt.Sprintf("%s: kept all %d writes in ", environment, d.Acknowledged())
	if lost := d.Lost(); lost > 0 {
		text = fmt.Sprintf("%s: LOST %d of %d writes in ", environment, lost, d.Acknowledged())
	}
	several := len(d.Injections) > 1
	if several {
		text += fmt.Sprintf("%d %ss", len(d.Injections), d.FaultName())
	} else {
		text += "a " + d.FaultName()
	}
	if broke := d.Broke(); broke != "" {
		return text + ", and it did not recover: " + broke
	}
	text += ", answered in " + took(d.Answered())
	if several {
		text += " (median)"
	}
	return text
}

// took formats the seconds until a server answered: a promotion may need less than a millisecond.
func took(seconds float64) string {
	switch {
	case seconds < 0.1:
		return fmt.Sprintf("%.1f ms", 1000*seconds)
	case seconds < 10:
		return fmt.Sprintf("%.1f s", seconds)
	}
	return fmt.Sprintf("%.0f s", seconds)
}
