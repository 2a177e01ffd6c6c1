// Package study carries out a search for a tuning: rounds of experiments that try values of knobs, then one
// that confirms what was found with data that the search has not used. Its state is a directory, so that a
// search that was interrupted goes on where it stopped.
package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/knob"
	"plinth/internal/record"
	"plinth/internal/search"
	"plinth/internal/unit"
)

// Machine is where a search measures.
type Machine interface {
	// Scope returns what may be changed for an environment of an experiment, and the facts of the machine.
	Scope(ctx context.Context, e *experiment.Experiment) (search.Scope, error)
	// Foresee checks an experiment, and returns how long it takes; zero if it is unknown.
	Foresee(ctx context.Context, e *experiment.Experiment) (time.Duration, error)
	// Begun returns the record of an experiment of this name that an earlier session began; nil if there is none.
	Begun(name string) (*record.Record, error)
	// Run carries out an experiment, or completes its record, and returns it; nil if there is none. With once, a
	// block with an invalid run is not driven again. The error of a server that does not start is a *NotStartedError.
	Run(ctx context.Context, e *experiment.Experiment, resume *record.Record, once bool) (*record.Record, error)
	// Say shows a line that stays.
	Say(text string)
}

// Study is a search in progress.
type Study struct {
	State
	dir     string
	fixed   []string               // keys of knobs, and layers, that the experiment determines
	base    *experiment.Experiment // with the one environment that is tuned
	machine Machine

	// Plan is how long things take, as foreseen.
	Plan Plan
	// Saved is called with each state that was saved; it may be nil.
	Saved func(State) error

	saved time.Time     // when the time that was used was saved last
	began time.Time     // of this session
	used  time.Duration // in earlier sessions
	now   func() time.Time
}

// Plan is how long the parts of a search take, as foreseen.
type Plan struct {
	Runs         int           `json:"runs"` // of the largest round
	Round        time.Duration `json:"round_ns"`
	Confirmation time.Duration `json:"confirmation_ns"` // with the fewest repeats
	Repeats      int           `json:"repeats"`
	Against      []string      `json:"against"`
	NoTime       []string      `json:"no_time,omitempty"` // advice that it leaves out, as there is no time for it
}

// The sizes of rounds, in moves: the first that fits into the time that is left is used. Both make full use of
// their designs, of 24 and 16 environments.
var sizes = []int{11, 7}

// mostFailures is the number of rounds without a result after which a search gives up.
const mostFailures = 5

// Run searches until the time is used, and confirms what was found. It saves the state after each step.
func (s *Study) Run(ctx context.Context) error {
	s.began, s.used = s.now(), s.Used.Duration()
	if s.Confirmation == nil {
		if err := s.rounds(ctx); err != nil {
			return err
		}
	}
	return s.confirm(ctx)
}

// rounds drives rounds as long as there is time for them.
func (s *Study) rounds(ctx context.Context) error {
	reserved, err := s.reserved(ctx)
	if err != nil {
		return err
	}
	for {
		if failed := s.failures(); failed == len(s.Rounds) && failed >= mostFailures {
			return fmt.Errorf("no round has a result; the last: %s", s.Rounds[failed-1].Failed)
		} else if failed >= mostFailures { // what is known so far can be confirmed
			return nil
		}
		if n := len(s.Rounds); n == 0 || s.Rounds[n-1].Ended() {
			round, err := s.propose(ctx, s.Left()-s.paced(reserved))
			if err != nil || round == nil {
				return err
			}
			s.Rounds = append(s.Rounds, *round)
			if err := s.save(); err != nil {
				return err
			}
		}
		if r := &s.Rounds[len(s.Rounds)-1]; !r.Ended() {
			if err := s.drive(ctx, r); err != nil {
				return err
			}
		}
	}
}

// keepTime is how often the time that was used is saved between two runs.
const keepTime = 30 * time.Second

// Tick saves the time that was used, so that a search that is killed counts it. It is called between runs.
func (s *Study) Tick() {
	if s.dir != "" && s.now().Sub(s.saved) >= keepTime {
		_ = s.save() // the next save, after the round, reports an error
	}
}

// Left returns the time that is left of the search.
func (s *Study) Left() time.Duration { return max(0, s.For.Duration()-s.elapsed()) }

func (s *Study) elapsed() time.Duration { return s.used + s.now().Sub(s.began) }

// failures counts the rounds without a result at the end.
func (s *Study) failures() (n int) {
	for _, r := range slices.Backward(s.Rounds) {
		if r.Failed == "" {
			break
		}
		n++
	}
	return n
}

// Known returns what is known so far.
func (s *State) Known() *search.Search {
	known := search.New(s.Space)
	for _, e := range s.Excluded {
		known.Exclude(e.Dimension, e.Level)
	}
	for _, r := range s.Rounds {
		if r.Estimates != nil {
			known.Learn(r.Moves, r.Estimates)
		}
	}
	return known
}

// Best returns what the search has found: what is confirmed, or what would be confirmed now.
func (s *State) Best() search.Point {
	if s.Confirmation != nil {
		return s.Confirmation.At
	}
	return s.Known().Found(sure)
}

// Gain returns the expected gain of a point over where the search began, if its changes do together what each does alone.
func (s *State) Gain(at search.Point) (sum search.Estimate) {
	known, variance := s.Known(), 0.0
	for i, level := range at {
		e := known.Gain(i, level)
		sum.Effect += e.Effect
		variance += e.Error * e.Error
	}
	sum.Error = math.Sqrt(variance)
	return sum
}

// mostDraws is the number of draws without a move after which nothing is left to try.
const mostDraws = 20

// propose returns the next round; nil if there is no time for one, or nothing left to try. A round that cannot be carried out
// has failed: its changes may each be possible alone.
func (s *Study) propose(ctx context.Context, left time.Duration) (*Round, error) {
	known, number := s.Known(), len(s.Rounds)+1
	for _, most := range sizes {
		random := rand.New(rand.NewPCG(s.Seed, uint64(number)))
		r := known.Next(random, most, s.doubtful)
		for draws := 1; len(r.Moves) == 0 && draws < mostDraws; draws++ {
			r = known.Next(random, most, s.doubtful)
		}
		if len(r.Moves) == 0 {
			return nil, nil //nolint:nilnil // nothing is left to try
		}
		takes, err := s.machine.Foresee(ctx, s.round(number, known.At(), r.Moves))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return &Round{Moves: r.Moves, At: known.At(), Failed: err.Error()}, nil
		}
		if s.paced(takes) <= left {
			return &Round{Moves: r.Moves, At: known.At(), Foreseen: secondsOf(takes)}, nil
		}
	}
	return nil, nil //nolint:nilnil // no time is left
}

// paced returns how long something takes at the pace of the rounds so far, without those that were interrupted.
func (s *Study) paced(foreseen time.Duration) time.Duration {
	sum, takes := time.Duration(0), time.Duration(0)
	for _, r := range s.Rounds {
		if r.Took > 0 && r.Failed == "" && !r.Resumed {
			sum, takes = sum+r.Foreseen.Duration(), takes+r.Took.Duration()
		}
	}
	if sum == 0 {
		return foreseen
	}
	return time.Duration(float64(foreseen) * float64(takes) / float64(sum))
}

// drive drives a round, or what is missing of it, and keeps what it says about its moves.
func (s *Study) drive(ctx context.Context, r *Round) error {
	number, began := len(s.Rounds), s.now()
	r.Resumed = r.Resumed || r.Took > 0
	rec, resumed, err := s.execute(ctx, s.round(number, r.At, r.Moves), true, &r.Record)
	r.Resumed = r.Resumed || resumed
	r.Took += secondsOf(s.now().Sub(began))
	var unstarted *NotStartedError
	switch {
	case errors.As(err, &unstarted) && unstarted.Environment == incumbent && s.atStart(r.At):
		return errors.Join(err, s.save())
	case errors.As(err, &unstarted):
		r.Failed = unstarted.Err.Error()
		if unstarted.Environment == incumbent {
			s.weaken(r.At, r.Failed)
		} else {
			s.blame(r, unstarted)
		}
	case err != nil:
		return errors.Join(err, s.save())
	default:
		if err := s.learn(r, rec); err != nil {
			r.Failed = err.Error()
		}
	}
	s.machine.Say(s.outcome(number))
	return s.save()
}

// execute carries out an experiment, or completes the record of it that an earlier session began (resumed). It keeps the
// record's name.
func (s *Study) execute(ctx context.Context, e *experiment.Experiment, once bool, name *string) (rec *record.Record, resumed bool, err error) {
	rec, err = s.machine.Begun(e.Name)
	if err != nil {
		return nil, false, err
	}
	resumed = rec != nil
	if rec == nil || rec.Summary.State != record.Complete {
		rec, err = s.machine.Run(ctx, e, rec, once)
	}
	if rec != nil {
		*name = filepath.Base(rec.Path)
	}
	return rec, resumed, err
}

// atStart reports whether a point is where the search began.
func (s *State) atStart(at search.Point) bool { return slices.Equal(at, search.New(s.Space).At()) }

// weaken excludes the change of a point that is least certain to be a gain: each of its changes has been tried, but a server
// does not start with all of them.
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
		s.exclude(least, at[least], "together with others: "+reason)
	}
}

// learn takes the estimates of a round from its record.
func (s *Study) learn(r *Round, rec *record.Record) error {
	runs, err := observations(rec, s.Objective)
	if err != nil {
		return err
	}
	for i := range rec.Runs {
		if rec.Runs[i].Status == record.Valid {
			r.Runs++
		}
	}
	r.Estimates, err = search.NewRound(r.Moves).Estimates(runs)
	return err
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

// blame finds what a server does not start with. A move of an environment that started is not the cause. If a single move is
// left, or a single one that was suspected before, its level is excluded. Otherwise all that are left are suspected, and
// later rounds try them one at a time.
func (s *Study) blame(r *Round, e *NotStartedError) {
	design := search.NewRound(r.Moves).Design
	makes := func(environment string, move int) bool { return design[rowOf(environment)][move] }
	var suspects []search.Move
	for i, m := range r.Moves {
		started := slices.ContainsFunc(e.Started, func(name string) bool { return makes(name, i) })
		if makes(e.Environment, i) && !started {
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

// outcome describes the state after a round in one line.
func (s *Study) outcome(number int) string {
	r := s.Rounds[number-1]
	if r.Failed != "" {
		return fmt.Sprintf("round %d: no result: %s", number, r.Failed)
	}
	return fmt.Sprintf("round %d: %d changes, %d runs; the best so far may gain %.0f %%; %s left",
		number, len(r.Moves), r.Runs, 100*math.Expm1(s.Gain(s.Known().At()).Effect), unit.About(s.Left()))
}

// checked excludes the levels that cannot be set on this machine, and returns an error if nothing is left.
func (s *Study) checked(ctx context.Context) error {
	if _, err := s.machine.Foresee(ctx, s.apart(nil)); err != nil {
		return err
	}
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
		s.exclude(moves[0].Dimension, moves[0].To, err.Error())
	default:
		s.settable(ctx, moves[:half])
		s.settable(ctx, moves[half:])
	}
}

func layersOf(layers []knob.Layer) string {
	var names []string
	for _, l := range layers {
		names = append(names, string(l))
	}
	return "the layers " + strings.Join(names, ", ")
}
