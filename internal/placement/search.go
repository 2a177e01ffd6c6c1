package placement

import (
	"cmp"
	"math"
	"slices"
)

// Limits of the search.
const (
	// mostLayouts is how many layouts are enumerated.
	mostLayouts = 1_000_000
	// mostBranches is how many placements of an object branch and bound tries beyond that.
	mostBranches = 500_000
	// mostPasses ends a climb whose steps are as small as rounding.
	mostPasses = 1000
	// mostSwapped is how many objects, those that differ most between stores, are exchanged in
	// pairs.
	mostSwapped = 200
)

// Methods of finding a layout.
const (
	Enumerated = "all layouts compared"
	Bounded    = "branch and bound: no layout is better"
	Searched   = "search: no move is better, and no exchange among the 200 objects that matter most"
)

// found is a layout, how it was found, and how many placements were tried. Bound is the score that
// no layout can be below.
type found struct {
	layout []int
	score  score
	method string
	tried  int
	bound  score
}

// layouts returns how many layouts there are, +Inf for very many.
func (p *problem) layouts() float64 {
	n := 1.0
	for _, all := range p.allowed {
		n *= float64(len(all))
	}
	return n
}

// solve finds the best layout.
func (p *problem) solve() found {
	if p.layouts() <= mostLayouts {
		return p.enumerate()
	}
	return p.searchFrom(mostBranches)
}

// searchFrom improves the greedy layout and the present one, and then tries to prove, by branch and
// bound with so many branches, that none is better.
func (p *problem) searchFrom(branches int) found {
	best := p.improve(p.greedy())
	if p.placed() {
		if now := p.improve(slices.Clone(p.now)); now.score.below(best.score) {
			best = now
		}
	}
	best.bound = p.empty().score()
	b := bounding{state: p.empty(), order: p.order(), best: best, left: branches}
	b.place(0)
	b.best.tried += branches - b.left
	if b.left > 0 {
		b.best.method, b.best.bound = Bounded, b.best.score
		return b.best
	}
	if improved := p.improve(b.best.layout); improved.score.below(b.best.score) {
		b.best.layout, b.best.score = improved.layout, improved.score
	}
	return b.best
}

// placed reports whether it is known where each object is now, and each may stay there.
func (p *problem) placed() bool {
	for i, s := range p.now {
		if s < 0 || !slices.Contains(p.allowed[i], s) {
			return false
		}
	}
	return true
}

// order returns the objects in the order in which they are placed: first those for which the choice
// matters most.
func (p *problem) order() []int {
	sizes, times := 0.0, 0.0
	spread := make([]float64, len(p.objects))
	for i, o := range p.objects {
		sizes += float64(o.Size)
		most := p.least[i]
		for _, s := range p.allowed[i] {
			most = max(most, p.demands[i][s].DeviceTime)
		}
		spread[i] = most - p.least[i]
		times += spread[i]
	}
	weight := func(i int) float64 {
		if len(p.allowed[i]) == 1 {
			return math.Inf(1)
		}
		return spread[i]/max(times, 1e-300) + float64(p.objects[i].Size)/max(sizes, 1)
	}
	order := make([]int, len(p.objects))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weight(b), weight(a)) })
	return order
}

// enumerate compares all layouts.
func (p *problem) enumerate() found {
	s, best := p.empty(), found{method: Enumerated}
	var place func(i int)
	place = func(i int) {
		if i == len(p.objects) {
			best.tried++
			if now := s.score(); best.layout == nil || now.below(best.score) {
				best.layout, best.score = slices.Clone(s.layout), now
			}
			return
		}
		for _, at := range p.allowed[i] {
			b := s.put(i, at)
			place(i + 1)
			s.undo(b)
		}
	}
	place(0)
	best.bound = best.score
	return best
}

// greedy places one object after the other where the score is best.
func (p *problem) greedy() []int {
	s := p.empty()
	for _, i := range p.order() {
		best, least := -1, score{}
		for _, at := range p.allowed[i] {
			b := s.put(i, at)
			if now := s.score(); best < 0 || now.below(least) {
				best, least = at, now
			}
			s.undo(b)
		}
		s.put(i, best)
	}
	return s.layout
}

// bounding is a search in depth that leaves out what cannot be better than the best layout so far:
// the score of a part of a layout is a bound for the whole.
type bounding struct {
	*state
	order []int
	best  found
	left  int // branches
}

func (b *bounding) place(depth int) {
	if depth == len(b.order) {
		if now := b.score(); now.below(b.best.score) {
			b.best.layout, b.best.score = slices.Clone(b.layout), now
		}
		return
	}
	i := b.order[depth]
	type branch struct {
		at    int
		score score
	}
	branches := make([]branch, 0, len(b.allowed[i]))
	for _, at := range b.allowed[i] {
		was := b.put(i, at)
		branches = append(branches, branch{at, b.score()})
		b.undo(was)
	}
	slices.SortStableFunc(branches, func(x, y branch) int {
		switch {
		case x.score.below(y.score):
			return -1
		case y.score.below(x.score):
			return 1
		}
		return 0
	})
	for _, one := range branches {
		if b.left == 0 {
			return
		}
		if !one.score.below(b.best.score) {
			continue
		}
		b.left--
		was := b.put(i, one.at)
		b.place(depth + 1)
		b.undo(was)
	}
}
