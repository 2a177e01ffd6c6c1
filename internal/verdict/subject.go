package verdict

import (
	"slices"

	"plinth/internal/experiment"
)

// subject is the scope of one verdict: a workload, or one cell or client count of it, in one
// environment against another.
type subject struct {
	pair
	cell    *experiment.Cell
	clients int
	rate    float64
}

func (s subject) holds(c experiment.Cell) bool {
	switch {
	case c.Workload != s.workload:
		return false
	case s.cell != nil:
		return c == *s.cell
	}
	return s.clients == 0 || c.Clients == s.clients && c.Rate == s.rate
}

// pairs returns all comparisons that are decided together.
func (c *comparer) pairs() []pair {
	var pairs []pair
	for _, w := range c.exp.Workloads {
		for _, p := range c.compared {
			pairs = append(pairs, pair{w.Name, p.Baseline, p.Other})
		}
	}
	return pairs
}

// parts returns the cells of a pair or, with ByClients, its client counts.
func (c *comparer) parts(p pair) []subject {
	var parts []subject
	for _, cell := range c.exp.Cells() {
		s := subject{pair: p, cell: &cell}
		if c.options.ByClients {
			s = subject{pair: p, clients: cell.Clients, rate: cell.Rate}
		}
		if cell.Workload == p.workload && !slices.ContainsFunc(parts, func(o subject) bool { return o.holds(cell) }) {
			parts = append(parts, s)
		}
	}
	return parts
}
