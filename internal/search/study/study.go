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
	"strconv"
	"strings"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/search"
	"plinth/internal/unit"
	"plinth/internal/validity"
)

// Machine is where a search measures.
type Machine interface {
	// Scope returns what may be changed for an environment of an experiment, and the facts of the machine.
	Scope(ctx context.Context, e *experiment.Experiment) (search.Scope, error)
	// Foresee checks an experiment, and returns how long it takes; zero if it is unknown.
	Foresee(ctx context.Context, e *experiment.Experiment) (time.Duration, error)
	// Begun returns the record of an experiment of this name that an earlier session began; nil if there is none.
	Begun(name string) (*record.Record, error)
	// Changed returns an error if the machine is no longer that of a record.
	Changed(ctx context.Context, e *experiment.Experiment, then *record.Record) error
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
	base    *experiment.Experiment // with the one environment that is tuned
	machine Machine

	// Plan is how long things take, as foreseen.
	Plan Plan
	// Saved is called with each state that was saved; it may be nil.
	Saved func(State) error

	confirmed *record.Record    // the record of the confirmation, once it is there
	unmounted map[string]string // why the mount options of advice are left out, by name

	saved time.Time     // when the time that was used was saved last
	began time.Time     // of this session
	used  time.Duration // in earlier sessions
	now   func() time.Time
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
	for {
		if over, err := s.hopeless(); over || err != nil {
			return err
		}
		reserved, err := s.reserved(ctx) // anew: the more runs were invalid, the longer the confirmation takes
		if err != nil {
			return err
		}
		if n := len(s.Rounds); n == 0 || s.Rounds[n-1].Ended() {
			if more, err := s.begin(ctx, reserved); !more || err != nil {
				return err
			}
		}
		if r := &s.Rounds[len(s.Rounds)-1]; !r.Ended() {
			if over, err := s.settle(r, reserved); err != nil || over {
				return err
			}
			if r.Ended() {
				continue
			}
			if err := s.drive(ctx, r); err != nil {
				return err
			}
		}
	}
}

// begin adds the next round; false if there is none.
func (s *Study) begin(ctx context.Context, reserved time.Duration) (more bool, err error) {
	round, err := s.propose(ctx, s.Left()-s.paced(reserved))
	if err != nil || round == nil {
		return false, err
	}
	s.Rounds = append(s.Rounds, *round)
	if round.Failed != "" {
		s.machine.Say(s.outcome(len(s.Rounds)))
	}
	return true, s.save()
}

// hopeless reports whether so many rounds had no result that no other is driven. If some had one, what is known so far can be
// confirmed.
func (s *Study) hopeless() (bool, error) {
	failed := s.failures()
	if failed < mostFailures {
		return false, nil
	}
	if failed == len(s.Rounds) {
		return true, fmt.Errorf("no round has a result; the last: %s", s.Rounds[failed-1].Failed)
	}
	return true, nil
}

// A search may end late by so much, as a share of its time or as a time, to complete a round that was interrupted.
const (
	lateBy      = 0.1
	lateAtLeast = time.Minute
)

// nearlyWhole is the share of the runs of a round from which on an interrupted one is not driven again.
const nearlyWhole = 0.75

// settle ends the last round if it was interrupted, and most of it was driven, or there is no time to drive it again: a round is
// one block, which is driven as a whole. It reports whether there is no time for anything but the confirmation.
func (s *Study) settle(r *Round, reserved time.Duration) (over bool, err error) {
	begun, err := s.machine.Begun(roundName(len(s.Rounds)))
	if err != nil || begun == nil || begun.Summary.State == record.Complete {
		return false, err
	}
	round := search.NewRound(r.Moves)
	runs, err := observations(begun, s.Objective)
	if err != nil {
		return false, err
	}
	allowed := s.Left() + max(lateAtLeast, time.Duration(lateBy*float64(s.For.Duration())))
	over = s.paced(reserved)+s.paced(r.Foreseen.Duration()) > allowed
	driven := float64(len(runs)) >= nearlyWhole*float64(len(round.Design)*round.Repeats())
	switch {
	case (driven || over) && round.Tells(runs):
		r.Record, r.Partial = filepath.Base(begun.Path), true
		if err := s.learn(r, begun); err != nil {
			return false, err
		}
	case over:
		r.Failed = "it was interrupted, and there is no time to drive it again"
	default:
		return false, nil
	}
	s.machine.Say(s.outcome(len(s.Rounds)))
	return over, s.save()
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
			if _, alone := s.machine.Foresee(ctx, s.apart(nil)); alone != nil {
				return nil, alone // no fault of the changes: it may be mended, and the search go on
			}
			return &Round{Moves: r.Moves, At: known.At(), Failed: cause(err)}, nil
		}
		if s.paced(takes) <= left {
			return &Round{Moves: r.Moves, At: known.At(), Foreseen: secondsOf(takes)}, nil
		}
	}
	return nil, nil //nolint:nilnil // no time is left
}

// drive drives a round, or what is missing of it, and keeps what it says about its moves.
func (s *Study) drive(ctx context.Context, r *Round) error {
	number, began := len(s.Rounds), s.now()
	r.Partial = r.Partial || r.Took > 0
	rec, resumed, err := s.execute(ctx, s.round(number, r.At, r.Moves), true, &r.Record)
	r.Partial = r.Partial || resumed
	r.Took += secondsOf(s.now().Sub(began))
	var unstarted *NotStartedError
	if errors.As(err, &unstarted) && unstarted.before() && rec != nil {
		// Its settings are not the cause, and what was measured until then counts; how long it took does not.
		err, r.Partial = nil, true
	}
	switch {
	case errors.As(err, &unstarted) && unstarted.Environment == Incumbent && s.atStart(r.At):
		return errors.Join(err, s.save())
	case errors.As(err, &unstarted):
		r.Failed = unstarted.Err.Error()
		switch {
		case unstarted.Environment != Incumbent:
			s.blame(r, unstarted)
		case s.failures() > 1: // not by chance
			s.weaken(r.At, r.Failed)
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
	if err == nil {
		err = s.sameMachine(ctx)
	}
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

// learn takes the estimates of a round from its record.
func (s *Study) learn(r *Round, rec *record.Record) error {
	runs, err := observations(rec, s.Objective)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(runs, func(o search.Observation) bool { return o.Environment >= len(search.NewRound(r.Moves).Design) }) {
		return errors.New("its record has other environments")
	}
	r.Runs = 0
	for i := range rec.Runs {
		if rec.Runs[i].Status == record.Valid {
			r.Runs++
		}
	}
	s.weaknesses(rec)
	s.fatal(r, rec)
	r.Estimates, err = search.NewRound(r.Moves).Estimates(runs)
	return err
}

// weaknesses notes what weakens the valid runs of a record.
func (s *Study) weaknesses(rec *record.Record) {
	rare := 0
	for i := range rec.Runs {
		run := &rec.Runs[i]
		if run.Status != record.Valid {
			continue
		}
		if slices.ContainsFunc(run.Warnings, func(n record.Note) bool { return n.Rule == validity.RuleBuffersFree }) {
			s.warn("Some runs were measured while a part of shared_buffers was still free, so that a larger size looks better than it is. Use a longer warm-up: --set warmup=60s.")
		}
		if s.beyond(run.Result.Transactions) < fewestBeyond {
			rare++
		}
	}
	if rare > len(rec.Runs)/2 {
		s.warn(fmt.Sprintf("In most runs, fewer than %d transactions were slower than %s, so that chance determines it. Use longer runs: --set duration=60s.", fewestBeyond, s.Objective))
	}
}

// fewestBeyond is the number of transactions beyond a percentile from which on it is more than the slowest few.
const fewestBeyond = 10

// beyond returns how many of some transactions are slower than the objective, if that is a percentile; otherwise infinity.
func (s *Study) beyond(transactions int64) float64 {
	percent, err := strconv.ParseFloat(strings.TrimPrefix(s.Objective, "p"), 64)
	if err != nil {
		return math.Inf(1)
	}
	return float64(transactions) * (1 - percent/100)
}

// fewestFatal is the number of runs with a move, none of them valid, from which on it is to blame.
const fewestFatal = 3

// fatal excludes the level of a move with which no run of a round is valid, if most of the others are: the server starts with it,
// and does not survive the load, for example.
func (s *Study) fatal(r *Round, rec *record.Record) {
	design := search.NewRound(r.Moves).Design
	for i, m := range r.Moves {
		var driven, valid [2]int // without the move, and with it
		reason := ""
		for j := range rec.Runs {
			run, with := &rec.Runs[j], 0
			if design[rowOf(run.Environment)][i] {
				with = 1
			}
			driven[with]++
			if run.Status == record.Valid {
				valid[with]++
			} else if with == 1 && len(run.Reasons) > 0 {
				reason = run.Reasons[0].Text
			}
		}
		if driven[1] >= fewestFatal && valid[1] == 0 && 2*valid[0] > driven[0] && m.To != s.Space[m.Dimension].Start {
			s.exclude(m.Dimension, m.To, "no run with it is valid: "+reason)
		}
	}
}

// warn notes once what weakens the search, and says it now: it may be worth beginning again.
func (s *Study) warn(text string) {
	if slices.Contains(s.Notes, text) {
		return
	}
	s.Notes = append(s.Notes, text)
	s.machine.Say("warning: " + text)
}

// sameMachine returns an error if the machine is no longer that of the first round, whose results do not hold here.
func (s *Study) sameMachine(ctx context.Context) error {
	first := slices.IndexFunc(s.Rounds, func(r Round) bool { return r.Record != "" })
	if first < 0 {
		return nil
	}
	then, err := s.machine.Begun(roundName(first + 1))
	if err != nil || then == nil || then.Machine == nil {
		return err
	}
	if err := s.machine.Changed(ctx, s.base, then); err != nil {
		return hint.Wrap(err, "begin a new search")
	}
	return nil
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
