package study

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/search"
	"plinth/internal/unit"
)

// Plan is how long the parts of a search take, as foreseen.
type Plan struct {
	Runs         int      `json:"runs"` // of the largest round
	Round        Seconds  `json:"round_s"`
	Confirmation Seconds  `json:"confirmation_s"` // with the fewest repeats
	Repeats      int      `json:"repeats"`
	Against      []string `json:"against"`
	NoTime       []string `json:"no_time,omitempty"` // advice that it leaves out, as there is no time for it
}

// confirming is the share of the time that a confirmation may take, before tunings are left out of it.
const confirming = 0.45

// opponents returns the environments that fit into a share of the time, and how long their confirmation takes with the fewest
// repeats that allow a verdict. The start is always among them.
func (s *Study) opponents(ctx context.Context) (others []experiment.Environment, takes time.Duration, err error) {
	others, err = s.rivals(ctx)
	if err != nil {
		return nil, 0, err
	}
	s.Plan.NoTime = nil
	for {
		e := s.confirmation(s.any(1), others, 0)
		takes, err = s.machine.Foresee(ctx, e)
		if err != nil {
			return nil, 0, err
		}
		takes = time.Duration(float64(takes) * s.drivenAgain(len(e.Environments)))
		if len(others) == 1 || s.paced(takes) <= time.Duration(confirming*float64(s.For.Duration())) {
			return others, takes, nil
		}
		i := expendable(others)
		s.Plan.NoTime = append(s.Plan.NoTime, others[i].Name)
		others = slices.Delete(slices.Clone(others), i, i+1)
	}
}

// expendable returns the index of the environment to leave out of a confirmation if there is no time for all of them: the
// defaults first, plinth's own profile last. It never returns the first one, where the search began.
func expendable(others []experiment.Environment) int {
	for i, e := range others[1:] {
		if len(e.Tuning) == 0 {
			return i + 1
		}
	}
	last := len(others) - 1
	for i := last; i > 0; i-- {
		if name := others[i].Name; name != "oltp" && name != "redis" {
			return i
		}
	}
	return last
}

// reserved returns the time that the confirmation takes, as foreseen. It is an error if there is no time for a round beside it.
func (s *Study) reserved(ctx context.Context) (time.Duration, error) {
	others, takes, err := s.opponents(ctx)
	if err != nil {
		return 0, err
	}
	s.Plan.Confirmation, s.Plan.Repeats = secondsOf(takes), s.confirmation(s.any(1), others, 0).Repeats
	s.Plan.Against = nil
	for _, o := range others {
		s.Plan.Against = append(s.Plan.Against, o.Name)
	}
	if len(s.Rounds) > 0 {
		return takes, nil
	}
	var least time.Duration
	for _, most := range sizes {
		round := s.round(1, search.New(s.Space).At(), s.moves(most))
		if least, err = s.machine.Foresee(ctx, round); err != nil {
			return 0, err
		}
		if s.Plan.Round == 0 {
			s.Plan.Round, s.Plan.Runs = secondsOf(least), len(round.Environments)*len(round.Cells())*round.Repeats
		}
	}
	if s.Left() < least+takes {
		return 0, hint.Errorf("use --for "+minutes(least+takes)+" or more, or shorter runs: --set duration=10s", "cannot search in %s: a round takes %s, and the confirmation of its result %s",
			unit.About(s.For.Duration()), unit.About(least), unit.About(takes))
	}
	return takes, nil
}

// drivenAgain returns by how much a confirmation of some environments takes longer since blocks with an invalid run are driven
// again: as often as runs of the rounds so far were invalid. In a round, nothing is driven again.
func (s *Study) drivenAgain(environments int) float64 {
	valid, planned := 0, 0
	for _, r := range s.Rounds {
		if r.Estimates != nil && !r.Partial {
			round := search.NewRound(r.Moves)
			valid, planned = valid+r.Runs, planned+len(round.Design)*round.Repeats()*len(s.base.Cells())
		}
	}
	if planned == 0 {
		return 1
	}
	return 2 - math.Pow(min(1, float64(valid)/float64(planned)), float64(environments))
}

// minutes returns a time as a flag takes it, and a minute more.
func minutes(d time.Duration) string { return fmt.Sprintf("%.0fm", math.Ceil(d.Minutes())+1) }

// moves returns some moves from the start, for an estimate of the time that a round takes.
func (s *Study) moves(most int) (moves []search.Move) {
	for i, d := range s.Space {
		if level := (d.Start + 1) % len(d.Levels); len(moves) < most && !s.Excludes(i, level) {
			moves = append(moves, search.Move{Dimension: i, From: d.Start, To: level})
		}
	}
	return moves
}

// any returns a point that differs from the start in some dimensions.
func (s *Study) any(moves int) search.Point {
	at := search.New(s.Space).At()
	for _, m := range s.moves(moves) {
		at[m.Dimension] = m.To
	}
	return at
}

// paced returns how long something takes at the pace of the rounds so far, without those that were interrupted.
func (s *Study) paced(foreseen time.Duration) time.Duration {
	sum, takes := time.Duration(0), time.Duration(0)
	for _, r := range s.Rounds {
		if r.Took > 0 && r.Failed == "" && !r.Partial {
			sum, takes = sum+r.Foreseen.Duration(), takes+r.Took.Duration()
		}
	}
	if sum == 0 {
		return foreseen
	}
	return time.Duration(float64(foreseen) * float64(takes) / float64(sum))
}
