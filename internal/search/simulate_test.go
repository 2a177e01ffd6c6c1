package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"plinth/internal/stats"
)

// world is a simulated machine: the true objective of each point, and noise.
type world struct {
	dimensions []Dimension
	value      [][]float64 // by dimension and level
	pairs      []pairing
	run, block float64 // standard deviations of a run, and of what the runs of a block share
	random     *rand.Rand
	runs       int
}

// pairing is an interaction: what two levels do only together.
type pairing struct {
	a, b   Move
	effect float64
}

// newWorld has twenty dimensions, of which five matter, a few that harm at an extreme, and interactions.
func newWorld(seed uint64) *world {
	r := rand.New(rand.NewPCG(seed, 1))
	w := &world{run: 0.06, block: 0.05, random: r}
	for i := range 20 {
		levels := 2 + r.IntN(4)
		d := Dimension{Levels: make([]Level, levels), Start: r.IntN(levels), Ordered: true}
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
		w.dimensions, w.value = append(w.dimensions, d), append(w.value, values)
	}
	for range 4 {
		a, b := r.IntN(8), r.IntN(20)
		if a == b {
			continue
		}
		w.pairs = append(w.pairs, pairing{Move{a, 0, r.IntN(len(w.value[a]))}, Move{b, 0, r.IntN(len(w.value[b]))}, 0.03 * r.NormFloat64()})
	}
	return w
}

func (w *world) start() Point {
	var p Point
	for _, d := range w.dimensions {
		p = append(p, d.Start)
	}
	return p
}

func (w *world) truth(p Point) (sum float64) {
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

func (w *world) measure(p Point) float64 {
	w.runs++
	return w.truth(p) + w.run*w.random.NormFloat64()
}

// estimates drives a round in repeats, and returns the effects of its moves.
func (w *world) estimates(at Point, r Round, repeats int) []Estimate {
	effects := make([][]float64, len(r.Moves)) // by move and repeat
	for range repeats {
		shared := w.block * w.random.NormFloat64()
		sums := make([]float64, len(r.Moves))
		for _, makes := range r.Design {
			p := slices.Clone(at)
			for i, m := range r.Moves {
				if makes[i] {
					p[m.Dimension] = m.To
				}
			}
			v := w.measure(p) + shared
			for i := range r.Moves {
				if makes[i] {
					sums[i] += v
				} else {
					sums[i] -= v
				}
			}
		}
		for i := range sums {
			effects[i] = append(effects[i], sums[i]/float64(len(r.Design)/2))
		}
	}
	all := make([]Estimate, len(r.Moves))
	for i, e := range effects {
		mean := 0.0
		for _, v := range e {
			mean += v / float64(repeats)
		}
		all[i] = Estimate{mean, 2 * w.run / math.Sqrt(float64(repeats*len(r.Design)))}
	}
	return all
}

func noDoubts(Move) bool { return false }

// climb searches with a budget of runs and returns the true gain of what it finds.
func climb(w *world, seed uint64, budget, most int, sure float64) float64 {
	s := New(w.dimensions)
	for round := uint64(0); ; round++ {
		r := s.Next(rand.New(rand.NewPCG(seed, round)), most, noDoubts)
		if len(r.Moves) == 0 || w.runs+len(r.Design) > budget {
			break
		}
		s.Learn(r.Moves, w.estimates(s.At(), r, 1))
	}
	return w.truth(s.Found(sure)) - w.truth(w.start())
}

// chance tries points at random in a race of successive halving against where it begins.
func chance(w *world, budget, candidates int) float64 {
	type candidate struct {
		at   Point
		mean float64
		n    float64
	}
	all := []*candidate{{at: w.start()}}
	for range candidates {
		p := w.start()
		for range 1 + w.random.IntN(5) { // a few dimensions at a time, as far as each goes
			i := w.random.IntN(len(p))
			p[i] = w.random.IntN(len(w.value[i]))
		}
		all = append(all, &candidate{at: p})
	}
	start := all[0]
	for rounds := int(math.Ceil(math.Log2(float64(len(all))))); rounds > 0; rounds-- {
		each := max(1, budget/rounds/len(all))
		if w.runs+each*len(all) > budget && w.runs > 0 {
			each = max(1, (budget-w.runs)/len(all))
		}
		for range each {
			shared := w.block * w.random.NormFloat64()
			for _, c := range all {
				c.n++
				c.mean += (w.measure(c.at) + shared - c.mean) / c.n
			}
		}
		slices.SortFunc(all, func(a, b *candidate) int {
			if a.mean > b.mean {
				return -1
			}
			return 1
		})
		all = all[:(len(all)+1)/2]
		if !slices.Contains(all, start) {
			all = append(all, start)
		}
	}
	return w.truth(all[0].at) - w.truth(w.start())
}

// best is the gain of the best point of the additive part.
func (w *world) best() float64 {
	var p Point
	for i := range w.value {
		best := 0
		for l, v := range w.value[i] {
			if v > w.value[i][best] {
				best = l
			}
		}
		p = append(p, best)
	}
	return w.truth(p) - w.truth(w.start())
}

// TestClimb compares, over simulated machines and for the same number of runs, what is found by rounds of screening
// designs, by one screening design alone, and by chance.
func TestClimb(t *testing.T) {
	const worlds, budget = 100, 350
	mean := map[string]float64{}
	for seed := range uint64(worlds) {
		for name, find := range map[string]func(*world) float64{
			"best":        (*world).best,
			"climb 11":    func(w *world) float64 { return climb(w, seed, budget, 11, 0.8) },
			"climb 23":    func(w *world) float64 { return climb(w, seed, budget, 23, 0.8) },
			"climb 11 .5": func(w *world) float64 { return climb(w, seed, budget, 11, 0.5) },
			"one screen": func(w *world) float64 {
				s := New(w.dimensions)
				r := s.Next(rand.New(rand.NewPCG(seed, 0)), stats.MostScreened, noDoubts)
				s.Learn(r.Moves, w.estimates(s.At(), r, budget/len(r.Design)))
				return w.truth(s.Found(0.8)) - w.truth(w.start())
			},
			"chance 16": func(w *world) float64 { return chance(w, budget, 16) },
			"chance 64": func(w *world) float64 { return chance(w, budget, 64) },
		} {
			mean[name] += find(newWorld(seed)) / worlds
		}
	}
	for name, v := range mean {
		t.Logf("%-12s %+.2f %%", name, 100*v)
	}
	if climbs := mean["climb 11"]; climbs < mean["one screen"] || climbs < mean["chance 16"] || climbs < mean["chance 64"] {
		t.Error("the climb is beaten")
	}
}
