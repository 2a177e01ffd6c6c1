// Package searchtest has simulated machines, on which ways to search for values can be compared: what a point is
// truly worth is known there.
package searchtest

import (
	"math"
	"math/rand/v2"
	"slices"

	"plinth/internal/search"
)

// World is a simulated machine: the true objective of each point, and noise. Objectives are logarithms of
// throughput: 0.1 is about 10 %.
type World struct {
	Dimensions []search.Dimension
	Random     *rand.Rand
	Runs       int // that were measured

	value [][]float64 // by dimension and level
	pairs []pairing
}

// pairing is an interaction: what two levels do only together.
type pairing struct {
	a, b   search.Move
	effect float64
}

// Standard deviations of a run, and of what the runs of a block share.
const (
	runNoise   = 0.06
	blockNoise = 0.05
)

// New returns a machine with twenty dimensions, of which five matter and three harm at an extreme, and up to four
// interactions.
func New(seed uint64) *World {
	r := rand.New(rand.NewPCG(seed, 1))
	w := &World{Random: r}
	for i := range 20 {
		levels := 2 + r.IntN(4)
		d := search.Dimension{Levels: make([]search.Level, levels), Start: r.IntN(levels), Ordered: true}
		values := make([]float64, levels)
		switch {
		case i < 5: // one peak, with 2 to 12 % between the worst and the best
			peak, size := r.Float64()*float64(levels-1), 0.02+0.1*r.Float64()
			for l := range values {
				x := (float64(l) - peak) / float64(levels)
				values[l] = -4 * size * x * x
			}
		case i < 8: // the last level harms
			values[levels-1] = -0.2
		default:
			for l := range values {
				values[l] = 0.003 * r.NormFloat64()
			}
		}
		w.Dimensions, w.value = append(w.Dimensions, d), append(w.value, values)
	}
	for range 4 {
		a, b := r.IntN(8), r.IntN(20)
		if a == b {
			continue
		}
		w.pairs = append(w.pairs, pairing{
			a:      search.Move{Dimension: a, To: r.IntN(len(w.value[a]))},
			b:      search.Move{Dimension: b, To: r.IntN(len(w.value[b]))},
			effect: 0.03 * r.NormFloat64(),
		})
	}
	return w
}

// Start returns the point where a search begins.
func (w *World) Start() search.Point {
	var p search.Point
	for _, d := range w.Dimensions {
		p = append(p, d.Start)
	}
	return p
}

func (w *World) truth(p search.Point) (sum float64) {
	for i, l := range p {
		sum += w.value[i][l]
	}
	for _, x := range w.pairs {
		if p[x.a.Dimension] == x.a.To && p[x.b.Dimension] == x.b.To {
			sum += x.effect
		}
	}
	return sum
}

// Gain returns what a point truly gains over the start.
func (w *World) Gain(p search.Point) float64 { return w.truth(p) - w.truth(w.Start()) }

// Best returns the gain of the point with the best level of each dimension, as if there were no interactions.
func (w *World) Best() float64 {
	var p search.Point
	for i := range w.value {
		best := 0
		for l, v := range w.value[i] {
			if v > w.value[i][best] {
				best = l
			}
		}
		p = append(p, best)
	}
	return w.Gain(p)
}

// Measure returns the result of a run at a point.
func (w *World) Measure(p search.Point) float64 {
	w.Runs++
	return w.truth(p) + runNoise*w.Random.NormFloat64()
}

// Block returns what the runs of a block share.
func (w *World) Block() float64 { return blockNoise * w.Random.NormFloat64() }

// Drive drives a round in repeats, and returns the effects of its moves.
func (w *World) Drive(at search.Point, r search.Round, repeats int) []search.Estimate {
	effects := make([]float64, len(r.Moves))
	for range repeats {
		shared := w.Block()
		for _, makes := range r.Design {
			p := slices.Clone(at)
			for i, m := range r.Moves {
				if makes[i] {
					p[m.Dimension] = m.To
				}
			}
			v := w.Measure(p) + shared
			for i := range effects {
				if makes[i] {
					effects[i] += v
				} else {
					effects[i] -= v
				}
			}
		}
	}
	all := make([]search.Estimate, len(r.Moves))
	for i, e := range effects {
		all[i] = search.Estimate{
			Effect: e / float64(repeats*len(r.Design)/2),
			Error:  2 * runNoise / math.Sqrt(float64(repeats*len(r.Design))),
		}
	}
	return all
}

// Climb searches by rounds with a budget of runs, and returns the true gain of what it finds. A round has at most
// some moves; what is found has moves that help with the probability sure.
func (w *World) Climb(seed uint64, budget, most int, sure float64) float64 {
	s := search.New(w.Dimensions)
	for round := uint64(0); ; round++ {
		r := s.Next(rand.New(rand.NewPCG(seed, round)), most, func(search.Move) bool { return false })
		if len(r.Moves) == 0 || w.Runs+len(r.Design) > budget {
			break
		}
		s.Learn(r.Moves, w.Drive(s.At(), r, 1))
	}
	return w.Gain(s.Found(sure))
}
