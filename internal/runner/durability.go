package runner

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/runner/stand"
)

// turn is one strike that is due.
type turn struct {
	place  *stand.Stand
	number int           // of the environment's strikes, from 0
	at     time.Duration // after its writes have begun
}

// moments are between when a strike comes after writes have begun, at random.
type moments struct{ soonest, latest time.Duration }

// wholeSeconds are moments a whole number of seconds apart: what is written out once a
// second (appendfsync everysec) is met at all its moments alike.
var wholeSeconds = moments{time.Second, 4 * time.Second}

// strikes strikes each environment as often as the experiment asks, once all runs are
// driven. What was done before the experiment was interrupted is not done again.
func (r *Runner) strikes(ctx context.Context) error {
	if r.experiment.Durability.Fault == "" {
		return nil
	}
	turns := r.turns()
	began := time.Now()
	for i, t := range turns {
		left := time.Duration(0)
		if i > 0 {
			left = time.Since(began) / time.Duration(i) * time.Duration(len(turns)-i)
		}
		if err := r.takeTurn(ctx, t, left); err != nil {
			return fmt.Errorf("environment %s: %w", t.place.Environment.Name, err)
		}
	}
	return nil
}

// turns are the strikes that are due. Environments that stand side by side take turns,
// each round in a random order, so that they share what happens to the machine;
// otherwise a round would take a switch for each.
func (r *Runner) turns() []turn {
	random := rand.New(rand.NewPCG(r.experiment.Seed, 2)) // another sequence than the schedule's
	var rounds [][]turn
	for number := range r.experiment.Durability.Times {
		var round []turn
		for _, e := range r.experiment.Environments {
			at := r.moments.soonest + time.Duration(random.Int64N(int64(r.moments.latest-r.moments.soonest)))
			round = append(round, turn{r.stage.Stand(e.Name), number, at})
		}
		random.Shuffle(len(round), func(i, j int) { round[i], round[j] = round[j], round[i] })
		rounds = append(rounds, round)
	}
	all := slices.Concat(rounds...)
	if !r.stage.SideBySide {
		slices.SortStableFunc(all, func(a, b turn) int { return r.order(a.place) - r.order(b.place) })
	}
	return slices.DeleteFunc(all, func(t turn) bool {
		return t.number < len(r.summary.Durability[t.place.Environment.Name].Strikes)
	})
}

// order is the place of an environment in the file.
func (r *Runner) order(p *stand.Stand) int {
	return slices.IndexFunc(r.experiment.Environments, func(e experiment.Environment) bool { return e.Name == p.Environment.Name })
}

// takeTurn strikes one environment once, and writes down what came of it.
func (r *Runner) takeTurn(ctx context.Context, t turn, left time.Duration) error {
	name := t.place.Environment.Name
	done := r.summary.Durability[name]
	if done.Broke() != "" {
		return nil
	}
	asked := r.experiment.Durability.In(t.place.Environment)
	status := Status{Step: "striking", Environment: name, Detail: fmt.Sprintf("%s %d of %d", asked.Fault, t.number+1, asked.Times), Left: left}
	r.now(status)
	if _, err := r.stage.Enter(ctx, t.place); err != nil {
		return err
	}
	strike, err := strikeAt(ctx, t.place, asked, t.at)
	if err != nil {
		return fmt.Errorf("cannot tell what a %s loses: %w", asked.Fault, err)
	}
	done.Fault, done.Of, done.Recover = asked.Fault, asked.Of, asked.Recover
	done.Strikes = append(done.Strikes, strike)
	if r.summary.Durability == nil {
		r.summary.Durability = map[string]record.Durability{}
	}
	r.summary.Durability[name] = done
	if t.number+1 == asked.Times || strike.Broke != "" {
		r.view.Say(struck(name, done))
	}
	return r.save(record.Running, "")
}

// struck is the line that says what the strikes on an environment did.
func struck(environment string, d record.Durability) string {
	fault := strings.ReplaceAll(d.Fault, "-", " ")
	took := answered(d.Median(func(s record.Strike) float64 { return s.Took }))
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

// answered is how long it took until a server answered: a replica that takes over may
// need less than a millisecond.
func answered(seconds float64) string {
	if seconds < 0.1 {
		return fmt.Sprintf("%.1f ms", 1000*seconds)
	}
	return fmt.Sprintf("%.1f s", seconds)
}
