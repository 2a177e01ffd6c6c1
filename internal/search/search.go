// Package search finds values of knobs for one workload on one machine. A search goes in rounds; each is a
// screening design of moves from the point that is best so far: a move sets one dimension to another level, and
// the environments of a round make various choices of the moves, so that every run says something about each
// move. What is learnt is kept as a belief about each dimension. The package knows no machine: it proposes rounds
// and learns from their estimates.
package search

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"plinth/internal/stats"
)

// A Dimension can be changed by a search: one knob, or several that belong together.
type Dimension struct {
	Name    string   `json:"name"`
	About   string   `json:"about"`
	Knobs   []string `json:"knobs"` // in the order of their values in the text of a level
	Levels  []Level  `json:"levels"`
	Start   int      `json:"start"`   // the level where the search begins
	Ordered bool     `json:"ordered"` // neighbouring levels are alike: sizes, durations
}

// A Level is one setting of a dimension.
type Level struct {
	Values  map[string]string `json:"values,omitempty"`  // by key of a knob, as in a profile; none for the level where the search begins
	Text    string            `json:"text"`              // the values on this machine
	Advised string            `json:"advised,omitempty"` // a profile that has these values
	Risk    Risk              `json:"risk,omitempty"`
}

// A Point has a level of each dimension.
type Point []int

// A Move sets a dimension to another level.
type Move struct {
	Dimension int `json:"dimension"`
	From      int `json:"from"`
	To        int `json:"to"`
}

// A Round is an experiment: which of its moves each environment makes. The first makes none, the last all.
type Round struct {
	Moves  []Move
	Design [][]bool
}

// NewRound returns the round of some moves, at most stats.MostScreened.
func NewRound(moves []Move) Round {
	r := Round{Moves: moves}
	if len(moves) > 0 {
		r.Design = stats.Screening(len(moves))
	}
	return r
}

// Within is the half-width of the 90 % interval of an Estimate, in errors.
const Within = 1.645

// Estimate is the measured effect of a move, as the logarithm of a ratio (greater is better), and its error, as the standard
// deviation of a normal distribution.
type Estimate struct {
	Effect float64 `json:"effect"`
	Error  float64 `json:"error"`
}

// Least is the smallest gain that a search is after: less than that cannot be seen in a reasonable time.
const Least = 0.005

// ahead is the lead of a level that is known advice when moves are chosen.
const ahead = 0.01

// even is the probability of a gain from which on rounds begin at a level.
const even = 0.5

// Search is the state of a search. It depends on what was learnt alone.
type Search struct {
	dimensions []Dimension
	beliefs    []*belief
	at         Point
}

// New returns a search that has measured nothing.
func New(dimensions []Dimension) *Search {
	s := &Search{dimensions: dimensions}
	for _, d := range dimensions {
		s.beliefs = append(s.beliefs, newBelief(d))
		s.at = append(s.at, d.Start)
	}
	return s
}

// At returns the best point so far.
func (s *Search) At() Point { return slices.Clone(s.at) }

// Exclude makes a level impossible: the server does not start with it, or it cannot be set.
func (s *Search) Exclude(dimension, level int) {
	s.beliefs[dimension].excluded[level] = true
	s.choose()
}

// Next proposes a round of at most most moves: in each dimension, the level that is best in a draw from what is
// known of it (Thompson sampling), if it is better than the present one by Least. Of the doubtful moves it proposes one
// at most. It has no moves if there is nothing left to try.
func (s *Search) Next(random *rand.Rand, most int, doubtful func(Move) bool) Round {
	type proposal struct {
		Move
		gain float64
	}
	var all []proposal
	for i, b := range s.beliefs {
		drawn := b.draw(random)
		for level, l := range s.dimensions[i].Levels {
			if l.Advised != "" {
				drawn[level] += ahead
			}
		}
		best := s.at[i]
		for level, v := range drawn {
			if v > drawn[best] && !b.excluded[level] {
				best = level
			}
		}
		if gain := drawn[best] - drawn[s.at[i]]; gain >= Least {
			all = append(all, proposal{Move{i, s.at[i], best}, gain})
		}
	}
	slices.SortStableFunc(all, func(a, b proposal) int { return cmp.Compare(b.gain, a.gain) })
	var moves []Move
	doubts := 0
	for _, p := range all {
		if doubtful(p.Move) {
			if doubts++; doubts > 1 {
				continue
			}
		}
		if len(moves) < min(most, stats.MostScreened) {
			moves = append(moves, p.Move)
		}
	}
	return NewRound(moves)
}

// Learn takes the estimates of a round's moves, and moves to the best point known.
func (s *Search) Learn(moves []Move, estimates []Estimate) {
	for i, m := range moves {
		s.beliefs[m.Dimension].observe(m.From, m.To, estimates[i])
	}
	s.choose()
}

func (s *Search) choose() {
	for i, b := range s.beliefs {
		s.at[i] = b.choose(s.dimensions[i].Start, even, 0)
	}
}

// Found returns the point that a search answers with: levels that are better than where it began with a
// probability of at least sure, and by at least Least, and otherwise where it began.
func (s *Search) Found(sure float64) Point {
	var p Point
	for i, b := range s.beliefs {
		p = append(p, b.choose(s.dimensions[i].Start, sure, Least))
	}
	return p
}

// Gain returns what is known of a level against where the search began: the logarithm of a ratio.
func (s *Search) Gain(dimension, level int) Estimate {
	mean, sd := s.beliefs[dimension].gain(s.dimensions[dimension].Start, level)
	return Estimate{mean, sd}
}

// Probability returns the probability that the effect is a gain.
func (e Estimate) Probability() float64 {
	if e.Error == 0 {
		return even
	}
	return normal(e.Effect / e.Error)
}

// normal is the distribution function of the standard normal distribution.
func normal(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
