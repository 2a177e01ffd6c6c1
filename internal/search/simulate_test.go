package search_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"plinth/internal/search"
	"plinth/internal/search/searchtest"
	"plinth/internal/stats"
)

// chance tries points at random in a race of successive halving against where it begins.
func chance(w *searchtest.World, budget, candidates int) float64 {
	type candidate struct {
		at   search.Point
		mean float64
		n    float64
	}
	start := &candidate{at: w.Start()}
	all := []*candidate{start}
	for range candidates {
		p := w.Start()
		for range 1 + w.Random.IntN(5) { // a few dimensions at a time, as far as each goes
			i := w.Random.IntN(len(p))
			p[i] = w.Random.IntN(len(w.Dimensions[i].Levels))
		}
		all = append(all, &candidate{at: p})
	}
	for rounds := int(math.Ceil(math.Log2(float64(len(all))))); rounds > 0; rounds-- {
		each := max(1, budget/rounds/len(all))
		if w.Runs+each*len(all) > budget && w.Runs > 0 {
			each = max(1, (budget-w.Runs)/len(all))
		}
		for range each {
			shared := w.Block()
			for _, c := range all {
				c.n++
				c.mean += (w.Measure(c.at) + shared - c.mean) / c.n
			}
		}
		slices.SortFunc(all, func(a, b *candidate) int { return cmp.Compare(b.mean, a.mean) })
		all = all[:(len(all)+1)/2]
		if !slices.Contains(all, start) {
			all = append(all, start)
		}
	}
	return w.Gain(all[0].at)
}

// screen drives one design of as many moves as it can have, as often as the budget allows.
func screen(w *searchtest.World, seed uint64, budget int) float64 {
	s := search.New(w.Dimensions)
	r := s.Next(rand.New(rand.NewPCG(seed, 0)), stats.MostScreened, func(search.Move) bool { return false })
	s.Learn(r.Moves, w.Drive(s.At(), r, budget/len(r.Design)))
	return w.Gain(s.Found(0.8))
}

// TestClimb compares, over simulated machines and for the same number of runs, what is found by rounds of screening
// designs, by one screening design alone, and by chance. tools/tpe compares rounds with a library's optimizer.
func TestClimb(t *testing.T) {
	const worlds, budget = 100, 350
	mean := map[string]float64{}
	for seed := range uint64(worlds) {
		for name, find := range map[string]func(*searchtest.World) float64{
			"best":              (*searchtest.World).Best,
			"rounds of 11":      func(w *searchtest.World) float64 { return w.Climb(seed, budget, 11, 0.8) },
			"rounds of 23":      func(w *searchtest.World) float64 { return w.Climb(seed, budget, 23, 0.8) },
			"rounds, half sure": func(w *searchtest.World) float64 { return w.Climb(seed, budget, 11, 0.5) },
			"one screen":        func(w *searchtest.World) float64 { return screen(w, seed, budget) },
			"chance 16":         func(w *searchtest.World) float64 { return chance(w, budget, 16) },
			"chance 64":         func(w *searchtest.World) float64 { return chance(w, budget, 64) },
		} {
			mean[name] += find(searchtest.New(seed)) / worlds
		}
	}
	for name, v := range mean {
		t.Logf("%-18s %+.2f %%", name, 100*v)
	}
	if climbs := mean["rounds of 11"]; climbs < mean["one screen"] || climbs < mean["chance 16"] || climbs < mean["chance 64"] {
		t.Errorf("rounds of 11 moves find less than another search: %v", mean)
	}
}
