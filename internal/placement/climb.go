package placement

import "slices"

// improve moves single objects, and exchanges pairs, until nothing is better.
func (p *problem) improve(layout []int) found {
	order := p.order()
	c := climb{state: p.of(layout), pairs: order[:min(len(order), mostSwapped)]}
	for range mostPasses {
		if !c.moves(order) && !c.swaps() {
			break
		}
	}
	return found{layout: c.layout, score: c.of(c.layout).score(), method: Searched, tried: c.tried}
}

// climb is a layout that becomes better change by change.
type climb struct {
	*state
	pairs    []int
	tried    int
	accepted int
}

// accept counts a better layout, and computes it anew from time to time, so that errors of rounding
// do not add up.
func (c *climb) accept() {
	if c.accepted++; c.accepted%100 == 0 {
		c.state = c.of(c.layout)
	}
}

// moves tries each object in each other store, and reports whether a move was better.
func (c *climb) moves(order []int) (better bool) {
	for _, i := range order {
		for _, to := range c.allowed[i] {
			at, score := c.layout[i], c.score()
			if to == at {
				continue
			}
			c.tried++
			first := c.take(i)
			second := c.put(i, to)
			if c.score().below(score) {
				c.accept()
				better = true
				continue
			}
			c.undo(second)
			c.undo(first)
		}
	}
	return better
}

// swaps tries to exchange each pair of objects, and reports whether an exchange was better.
func (c *climb) swaps() bool {
	score := c.score()
	for k, i := range c.pairs {
		for _, j := range c.pairs[k+1:] {
			x, y := c.layout[i], c.layout[j]
			if x == y || !slices.Contains(c.allowed[i], y) || !slices.Contains(c.allowed[j], x) {
				continue
			}
			c.tried++
			done := []before{c.take(i), c.take(j), c.put(i, y), c.put(j, x)}
			if c.score().below(score) {
				c.accept()
				return true
			}
			for n := range done {
				c.undo(done[len(done)-1-n])
			}
		}
	}
	return false
}
