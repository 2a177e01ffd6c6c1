// Package fault strikes environments once their runs are driven: a kill or a power cut while
// a server acknowledges writes, at moments drawn from the experiment's seed. It counts which
// of the writes are there again, and leaves the environment whole.
package fault

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// Turn is one strike that is due.
type Turn struct {
	Environment string
	Number      int           // of the environment's strikes, from 0
	At          time.Duration // after its writes have begun
}

// Moments are between when a strike comes after writes have begun, at random.
type Moments struct{ Soonest, Latest time.Duration }

// WholeSeconds are moments a whole number of seconds apart: what is written out once a
// second (appendfsync everysec) is met at all its moments alike.
var WholeSeconds = Moments{time.Second, 4 * time.Second}

// Turns are the strikes of an experiment. Environments that stand side by side take turns,
// each round in a random order, so that they share what happens to the machine;
// otherwise a round would take a switch for each.
func Turns(e *experiment.Experiment, m Moments, sideBySide bool) []Turn {
	random := rand.New(rand.NewPCG(e.Seed, 2)) // another sequence than the schedule's
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

// Line is the line that says what the strikes on an environment did.
func Line(environment string, d record.Durability) string {
	fault := strings.ReplaceAll(d.Fault, "-", " ")
	seconds := d.Median(func(s record.Strike) float64 { return s.Took })
	took := fmt.Sprintf("%.1f s", seconds)
	if seconds < 0.1 { // a replica that takes over may need less than a millisecond
		took = fmt.Sprintf("%.1f ms", 1000*seconds)
	}
	text := fmt.Sprintf("%s: %s, answered again after %s; ", environment, fault, took)
	if n := len(d.Strikes); n > 1 {
		text = fmt.Sprintf("%s: %d %ss, answered again after %s in the median; ", environment, n, fault, took)
	}
	if broke := d.Broke(); broke != "" {
		text = fmt.Sprintf("%s: %s, and it did not come back: %s; ", environment, fault, broke)
	}
	if lost := d.Lost(); lost > 0 {
		return text + fmt.Sprintf("LOST %d of %d acknowledged writes", lost, d.Acknowledged())
	}
	return text + fmt.Sprintf("all %d acknowledged writes are there", d.Acknowledged())
}
