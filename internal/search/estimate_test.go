package search

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestEstimates checks effects and errors against known ones, with runs missing, values that differ by repeat, and later runs
// that are faster.
func TestEstimates(t *testing.T) {
	r := NewRound(make([]Move, 7))
	truth := []float64{0.1, -0.05, 0, 0, 0.02, 0, -0.2}
	random := rand.New(rand.NewPCG(1, 2))
	const sd, times = 0.03, 400
	var sum, square [7]float64
	claimed := 0.0
	for range times {
		var runs []Observation
		for repeat := range 2 {
			for i, e := range random.Perm(len(r.Design)) {
				place := float64(repeat*len(r.Design) + i + 1)
				v := 7 + 0.3*float64(repeat) + 0.1*math.Log(place) + sd*random.NormFloat64()
				for j, m := range r.Design[e] {
					if m {
						v += truth[j]
					}
				}
				if e != 3 || repeat == 0 { // one is missing
					runs = append(runs, Observation{e, repeat, place, v})
				}
			}
		}
		got, err := r.Estimates(runs)
		if err != nil {
			t.Fatal(err)
		}
		for j, e := range got {
			sum[j] += e.Effect
			square[j] += (e.Effect - truth[j]) * (e.Effect - truth[j])
			claimed += e.Error / times / 7
		}
	}
	for j := range truth {
		if mean := sum[j] / times; math.Abs(mean-truth[j]) > 0.003 {
			t.Errorf("move %d: %.4f, want %.4f", j, mean, truth[j])
		}
		if got := math.Sqrt(square[j] / times); math.Abs(got/claimed-1) > 0.15 {
			t.Errorf("move %d: errors of %.4f, claimed %.4f", j, got, claimed)
		}
	}
}

// TestIntervals checks that the 90 % intervals of a small round, whose deviation is uncertain itself, hold nine of ten effects: with
// standard errors in place of the errors they would hold 86 %.
func TestIntervals(t *testing.T) {
	const times = 3000
	random := rand.New(rand.NewPCG(1, 2))
	r, held := NewRound(make([]Move, 7)), 0
	for range times {
		var runs []Observation
		for place, e := range random.Perm(len(r.Design)) {
			runs = append(runs, Observation{e, 0, float64(place + 1), 7 + 0.04*random.NormFloat64()})
		}
		got, err := r.Estimates(runs)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got[0].Effect) <= Within*got[0].Error {
			held++
		}
	}
	if share := float64(held) / times; math.Abs(share-0.9) > 0.015 {
		t.Errorf("the intervals hold %.3f of the effects", share)
	}
}

// TestUntold checks that a move that the runs cannot tell from another, or that was never made, has a great error.
func TestUntold(t *testing.T) {
	r := NewRound(make([]Move, 7))
	var runs []Observation
	for e, makes := range r.Design {
		if !makes[3] { // the server does not start with it
			runs = append(runs, Observation{e, 0, float64(e + 1), 7 + 0.1*float64(e%3)})
		}
	}
	got, err := r.Estimates(runs)
	if err != nil {
		t.Fatal(err)
	}
	for j, e := range got {
		if great := e.Error > 0.3; great != (j == 3) {
			t.Errorf("move %d: an error of %.3f", j, e.Error)
		}
	}
	if _, err := r.Estimates(runs[:1]); err == nil {
		t.Error("a single run has effects")
	}
}

// TestRepeats: the deviation of the runs of each round is measured, however few changes it has.
func TestRepeats(t *testing.T) {
	for moves := 1; moves <= 11; moves++ {
		r := NewRound(make([]Move, moves))
		if spare := r.Repeats()*(len(r.Design)-1) - drifts - moves; spare < fewestSpare || r.Repeats() > 7 || moves >= 7 && r.Repeats() != 1 {
			t.Errorf("%d moves: %d repeats, %d spare runs", moves, r.Repeats(), spare)
		}
	}
}
