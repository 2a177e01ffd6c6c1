package chart

import (
	"fmt"
	"math"
)

// mergeTimes adds up neighbours in time until a column can be seen.
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

// mergeRows adds up neighbouring intervals until a row can be seen.
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

// legend names the depths at the right above the plot: the least count of each.
func (p heatPlan) legend(c *canvas) {
	x := p.x.to
	for level := heatLevels - 1; level >= 0; level-- {
		least := int(math.Ceil(math.Pow(float64(p.most)+1, float64(level)/heatLevels)))
		if p.level(least) != level {
			continue // so few that no count has this depth
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
