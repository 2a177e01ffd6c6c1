package study

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"plinth/internal/hint"
	"plinth/internal/knob"
	"plinth/internal/search"
)

// checked excludes the levels that cannot be set on this machine, and returns an error if nothing is left.
func (s *Study) checked(ctx context.Context) error {
	first := s.apart(nil)
	if _, err := s.machine.Foresee(ctx, first); err != nil {
		return err
	}
	// All rounds use the same dataset, fitted to the volumes once.
	s.base.Dataset.Scale, s.base.Dataset.Fit = first.Dataset.Scale, false
	var moves []search.Move
	for i, d := range s.Space {
		for level := range d.Levels {
			if level != d.Start {
				moves = append(moves, search.Move{Dimension: i, From: d.Start, To: level})
			}
		}
	}
	s.machine.Say("checking which values can be set here")
	s.settable(ctx, moves)
	if err := ctx.Err(); err != nil || len(moves) > len(s.Excluded) {
		return err
	}
	if s.Restarts {
		return hint.Errorf("allow more layers with --layers; an experiment with allow_host: true may change the kernel", "there is nothing to try in %s", layersOf(s.Layers))
	}
	return hint.Errorf("use --restarts yes, or allow more layers with --layers", "there is nothing to try in %s without a restart of the server", layersOf(s.Layers))
}

// settable excludes the levels of moves that cannot be set. It checks many at once, and halves of them where that fails.
func (s *Study) settable(ctx context.Context, moves []search.Move) {
	if len(moves) == 0 || ctx.Err() != nil {
		return
	}
	_, err := s.machine.Foresee(ctx, s.apart(moves))
	switch half := len(moves) / 2; {
	case err == nil:
	case half == 0:
		s.exclude(moves[0].Dimension, moves[0].To, cause(err))
	default:
		s.settable(ctx, moves[:half])
		s.settable(ctx, moves[half:])
	}
}

// named begins an error of an environment that the user has not named.
var named = regexp.MustCompile(`^environment (` + Incumbent + "|" + mix + `\d+): `)

// cause returns what prevents a change, without the name of the environment that has it.
func cause(err error) string { return named.ReplaceAllString(err.Error(), "") }

func layersOf(layers []knob.Layer) string {
	var names []string
	for _, l := range layers {
		names = append(names, string(l))
	}
	return "the layers " + strings.Join(names, ", ")
}

// NotStartedError is a server that does not start with the settings of an environment.
type NotStartedError struct {
	Environment string
	Started     []string // environments that started before
	Err         error
}

func (e *NotStartedError) Error() string {
	return fmt.Sprintf("the server of %s does not start: %v", e.Environment, e.Err)
}
func (e *NotStartedError) Unwrap() error { return e.Err }

// before reports whether the server has started with the same settings before: the cause is not in them alone.
func (e *NotStartedError) before() bool { return slices.Contains(e.Started, e.Environment) }

// blame finds what a server does not start with. A move of an environment that started is not the cause. If a single move is
// left, or a single one that was suspected before, its level is excluded. Otherwise all that are left are suspected, and
// later rounds try them one at a time.
func (s *Study) blame(r *Round, e *NotStartedError) {
	design := search.NewRound(r.Moves).Design
	makes := func(environment string, move int) bool { return design[rowOf(environment)][move] }
	var suspects []search.Move
	for i, m := range r.Moves {
		started := slices.ContainsFunc(e.Started, func(name string) bool { return makes(name, i) })
		if makes(e.Environment, i) && !started && m.To != s.Space[m.Dimension].Start { // the server has started there
			suspects = append(suspects, m)
		}
	}
	if doubted := slices.DeleteFunc(slices.Clone(suspects), func(m search.Move) bool { return !s.doubtful(m) }); len(doubted) == 1 {
		suspects = doubted
	}
	if len(suspects) == 1 {
		s.exclude(suspects[0].Dimension, suspects[0].To, r.Failed)
		return
	}
	s.Doubted = append(s.Doubted, suspects...)
}

func (s *Study) exclude(dimension, level int, reason string) {
	s.Excluded = append(s.Excluded, Excluded{Dimension: dimension, Level: level, Reason: reason})
}

// Suspected returns the moves with which a server may not start, each once, as far as is known.
func (s *State) Suspected() (moves []search.Move) {
	for _, m := range s.Doubted {
		again := slices.ContainsFunc(moves, func(o search.Move) bool { return o.Dimension == m.Dimension && o.To == m.To })
		if !again && s.doubtful(m) && !s.Excludes(m.Dimension, m.To) {
			moves = append(moves, m)
		}
	}
	return moves
}

// doubtful reports whether a server may not start with a move, as far as is known.
func (s *State) doubtful(m search.Move) bool {
	suspected := slices.ContainsFunc(s.Doubted, func(d search.Move) bool { return d.Dimension == m.Dimension && d.To == m.To })
	return suspected && !slices.ContainsFunc(s.Rounds, func(r Round) bool {
		return r.Estimates != nil && slices.ContainsFunc(r.Moves, func(o search.Move) bool { return o.Dimension == m.Dimension && o.To == m.To })
	})
}

// Together begins the reason of a change that is possible alone, but not with the others that were found.
const Together = "together with others: "

// weaken excludes the change of a point that is least certain to be a gain: a server does not start with all of its changes. One
// of them may never have been tried alone, if it is the neighbour of one that gains.
func (s *Study) weaken(at search.Point, reason string) {
	known, least, lowest := s.Known(), -1, math.Inf(1)
	for i, level := range at {
		if level == s.Space[i].Start {
			continue
		}
		if p := known.Gain(i, level).Probability(); p < lowest {
			least, lowest = i, p
		}
	}
	if least >= 0 {
		s.exclude(least, at[least], Together+reason)
	}
}

// Excludes reports whether a level cannot be had.
func (s *State) Excludes(dimension, level int) bool {
	return slices.ContainsFunc(s.Excluded, func(e Excluded) bool { return e.Dimension == dimension && e.Level == level })
}
