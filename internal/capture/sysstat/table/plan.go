package table

import (
	"math"

	"plinth/internal/capture/sysstat/layout"
	"plinth/internal/capture/sysstat/names"
)

// Plan says where the values of one kind of line go: one device under one heading.
type Plan struct {
	Subject string // in messages: "md1"
	Stamp   Stamp  // of the row that it was applied to last
	Rows    int    // to which it was applied
	cells   []cell
	shares  bool     // the values are shares that add up to 100 %
	spans   [][2]int // cells that are an amount and its rate
	util    int      // the cell with the utilisation of a disk; -1 if there is none
}

// Stamp identifies a row by its time: the seconds since the first midnight, and how many rows of
// the same table had the same time before.
type Stamp struct{ Seconds, Repeat int }

type cell struct {
	heading  string
	unit     float64
	outs     []out
	requests []int // cells that count the requests over which this one is a mean
	low      float64
	high     float64
	like     layout.Number // the first value
}

type out struct {
	column int
	scale  float64
	add    bool
}

// NewPlan returns the plan for lines with the given headings. outs says where the values of a
// heading go; nil if they are not used.
func (t *Table) NewPlan(subject string, headings []string, outs func(heading string) []names.Out) *Plan {
	p := &Plan{Subject: subject, cells: make([]cell, len(headings)), util: -1}
	at, shares := map[string]int{}, 0
	for i, heading := range headings {
		at[heading] = i
		c := &p.cells[i]
		c.heading, c.unit = heading, names.Unit(heading)
		for _, o := range outs(heading) {
			if column := t.column(o.Name); column >= 0 {
				c.outs = append(c.outs, out{column, o.Scale, o.Add})
			}
		}
		if names.Share(heading) {
			shares++
		}
		if heading == "%util" {
			p.util = i
		}
	}
	_, idle := at["%idle"]
	p.shares = idle && shares >= minShares
	for i := range p.cells {
		if rate, ok := at[p.cells[i].heading+"/s"]; ok {
			p.spans = append(p.spans, [2]int{i, rate})
		}
		for _, counter := range names.Requests[p.cells[i].heading] {
			if j, ok := at[counter]; ok {
				p.cells[i].requests = append(p.cells[i].requests, j)
			}
		}
	}
	return p
}

// minShares is the smallest number of shares of CPU time that a program prints together.
const minShares = 4

// Apply stores the values of a line in a row; a row of -1 is beyond the limit.
func (t *Table) Apply(row int, p *Plan, values []layout.Number) {
	first := p.Rows == 0
	p.Rows++
	usable := t.check(p, values)
	for i := range p.cells {
		c, n := &p.cells[i], values[i]
		if first {
			c.like, c.low, c.high = n, n.Value, n.Value
		}
		c.low, c.high = min(c.low, n.Value), max(c.high, n.Value)
		if row < 0 || !usable || math.IsNaN(n.Value) || c.empty(n, values) {
			continue
		}
		value := n.In(c.unit)
		for _, o := range c.outs {
			t.set(row, o.column, value*o.scale, o.add)
		}
	}
}

// empty reports whether the value is the mean over no requests.
func (c *cell) empty(n layout.Number, values []layout.Number) bool {
	if n.Value != 0 || len(c.requests) == 0 {
		return false
	}
	for _, i := range c.requests {
		if values[i].Value != 0 {
			return false
		}
	}
	return true
}

// Like returns the first value of the last column; nil if there was none.
func (p *Plan) Like() *layout.Number {
	if p.Rows == 0 || len(p.cells) == 0 {
		return nil
	}
	return &p.cells[len(p.cells)-1].like
}

// Forget forgets the values seen so far, with which averages are compared.
func (p *Plan) Forget() { p.Rows = 0 }

// leastRate is the lowest rate with which Span computes: the rate and the amount have three digits.
const leastRate = 100.0

// Span returns how many seconds the values cover, from an amount and the rate that results from it
// ("kB_read", "kB_read/s"); 0 if there is none or the rates are too low to tell.
func (p *Plan) Span(values []layout.Number) float64 {
	best, seconds := leastRate, 0.0
	for _, s := range p.spans {
		amount, rate := values[s[0]].In(p.cells[s[0]].unit), values[s[1]].In(p.cells[s[1]].unit)
		if rate >= best && amount > 0 {
			best, seconds = rate, amount/rate
		}
	}
	return seconds
}
