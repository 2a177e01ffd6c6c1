package chart

import (
	"fmt"
	"math"
	"strings"
)

const (
	heatWidth, heatHeight = 760.0, 200.0
	heatLevels            = 6
	heatColumn, heatRow   = 3.0, 4.0 // minimum size of a cell in px
)

// SVG draws the histogram as cells, darker for greater counts. The shade is logarithmic in the
// count, so that the few slow operations remain visible.
func (h Heat) SVG() string {
	var c canvas
	p := h.plan()
	c.text(label{y: 14, class: "small muted", size: small, width: heatWidth / 2, text: h.YTitle})
	if p.most == 0 {
		c.empty(0, heatWidth, 24+heatHeight/2)
	} else {
		upright(&c, p.y, p.x.from, p.x.to)
		p.legend(&c)
		for level, d := range p.cells() {
			c.path(fmt.Sprintf("heat h%d", level+1), d)
		}
		level(&c, p.x, p.y.from)
		c.text(label{x: (p.x.from + p.x.to) / 2, y: p.y.from + 31, class: "small muted middle", size: small, text: p.axisTitle()})
	}
	return document{class: "heat-map", title: orNothing(h.Title), about: p.about(), width: heatWidth, height: heatHeight + 62, body: c.String()}.String()
}

// A heatPlan is the layout of a Heat: its axes, and its counts in cells large enough to see.
type heatPlan struct {
	timelinePlan
	y      axis
	edges  []float64
	counts [][]int
	step   float64
	most   int
}

func (h Heat) plan() heatPlan {
	p := heatPlan{}
	p.edges, p.counts = h.used()
	p.y = logAxis(edgeSpan(p.edges), 6)
	p.y.from, p.y.to = heatHeight+24, 24
	left := 24.0
	for _, t := range p.y.ticks {
		left = max(left, textWidth(t.label, small)+8)
	}
	p.Start, p.step = h.Start, h.Step
	if !finite(p.Start) {
		p.Start = 0
	}
	if !finite(p.step) || p.step <= 0 {
		p.step = 1
	}
	end := p.Start + float64(max(1, len(h.Counts)))*p.step
	p.x = axis{lo: p.Start, hi: end, from: left, to: heatWidth - 10, ticks: timeTicks(p.Start, end)}
	p.mergeTimes()
	p.mergeRows()
	for _, column := range p.counts {
		for _, n := range column {
			p.most = max(p.most, n)
		}
	}
	return p
}

// used returns the intervals from the first to the last with a count. It stops at the first
// edge that does not ascend.
func (h Heat) used() ([]float64, [][]int) {
	edges := h.Edges
	for i := range edges {
		if !finite(edges[i]) || i > 0 && edges[i] <= edges[i-1] {
			edges = edges[:i]
			break
		}
	}
	first, last := len(edges), -1
	for _, column := range h.Counts {
		for i, n := range column {
			if n > 0 && i+1 < len(edges) && edges[i+1] > 0 {
				first, last = min(first, i), max(last, i)
			}
		}
	}
	if last < 0 {
		return nil, nil
	}
	counts := make([][]int, len(h.Counts))
	for t, column := range h.Counts {
		counts[t] = make([]int, last+1-first)
		copy(counts[t], column[min(first, len(column)):])
	}
	return edges[first : last+2], counts
}

// edgeSpan returns the span of the axis. If the first interval begins at zero, which a
// logarithmic axis cannot show, it is drawn down to half of its upper edge.
func edgeSpan(edges []float64) span {
	var s span
	for i, e := range edges {
		if i == 0 && e <= 0 && len(edges) > 1 {
			e = edges[1] / 2
		}
		s.add(true, e)
	}
	return s
}

func (p heatPlan) about() string {
	if p.most == 0 {
		return nothing
	}
	return fmt.Sprintf("From %s to %s, up to %s in one cell.", short(p.edges[0]), short(p.edges[len(p.edges)-1]), number(float64(p.most), 0))
}

// level returns the shade of a cell, from 0; -1 for an empty one.
func (p heatPlan) level(n int) int {
	if n <= 0 {
		return -1
	}
	return min(heatLevels-1, int(heatLevels*math.Log(float64(n))/math.Log(float64(p.most)+1)))
}

// cells returns a path for each level. Adjacent cells of one level in a row are one rectangle.
func (p heatPlan) cells() []string {
	paths := make([]strings.Builder, heatLevels)
	for row := range len(p.edges) - 1 {
		top, bottom := p.y.at(p.edges[row+1]), p.y.at(max(p.edges[row], p.y.lo))
		for t := 0; t < len(p.counts); {
			level, start := p.level(p.counts[t][row]), t
			for t < len(p.counts) && p.level(p.counts[t][row]) == level {
				t++
			}
			if level >= 0 {
				left, right := p.column(start), p.column(t)
				fmt.Fprintf(&paths[level], "M%s %sH%sV%sH%sz", px(left), px(top), px(right), px(bottom), px(left))
			}
		}
	}
	d := make([]string, heatLevels)
	for i := range paths {
		d[i] = paths[i].String()
	}
	return d
}

func (p heatPlan) column(t int) float64 {
	return p.x.at(min(p.Start+float64(t)*p.step, p.x.hi))
}

// mergeTimes adds up adjacent times until a column is wide enough to see.
func (p *heatPlan) mergeTimes() {
	room := (p.x.to - p.x.from) / heatColumn
	k := int(math.Ceil(float64(len(p.counts)) / room))
	if k < 2 {
		return
	}
	var merged [][]int
	for t, column := range p.counts {
		if t%k == 0 {
			merged = append(merged, make([]int, len(column)))
		}
		for i, n := range column {
			merged[t/k][i] += n
		}
	}
	p.counts, p.step = merged, p.step*float64(k)
}

// mergeRows adds up adjacent intervals until a row is high enough to see.
func (p *heatPlan) mergeRows() {
	if len(p.edges) == 0 {
		return
	}
	edges, into := p.edges[:1:1], make([]int, len(p.edges)-1)
	for i := range into {
		into[i] = len(edges) - 1
		if i == len(into)-1 || p.y.at(max(edges[len(edges)-1], p.y.lo))-p.y.at(p.edges[i+1]) >= heatRow {
			edges = append(edges, p.edges[i+1])
		}
	}
	for t, column := range p.counts {
		merged := make([]int, len(edges)-1)
		for i, n := range column {
			merged[into[i]] += n
		}
		p.counts[t] = merged
	}
	p.edges = edges
}

// legend draws the shades above the plot, on the right, with the least count of each.
func (p heatPlan) legend(c *canvas) {
	x := p.x.to
	for level := heatLevels - 1; level >= 0; level-- {
		least := int(math.Ceil(math.Pow(float64(p.most)+1, float64(level)/heatLevels)))
		if p.level(least) != level {
			continue // counts are so small that none has this shade
		}
		text := number(float64(least), 0)
		x -= textWidth(text, small)
		c.text(label{x: x, y: 14, class: "small muted", size: small, text: text})
		x -= 16
		c.rect(fmt.Sprintf("heat h%d", level+1), x, 4, 12, 12)
		x -= 10
	}
	c.text(label{x: x, y: 14, class: "small muted end", size: small, text: fmt.Sprintf("in %s s, at least:", plain(p.step))})
}
