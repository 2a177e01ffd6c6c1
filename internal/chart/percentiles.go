package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// SVG draws all panels as one picture, as in Multiples.
func (p Percentiles) SVG() string { return p.grid().picture() }

// PanelSVG draws panel i alone, 320 px wide; it returns "" if there is no such panel.
func (p Percentiles) PanelSVG(i int) string { return p.grid().one(i) }

func (p Percentiles) grid() grid {
	g := grid{class: "percentiles", title: p.Title, xTitle: "percentile, % of " + p.Unit + "s", yTitle: p.YTitle,
		columns: columnsOf(len(p.Panels)), width: 320, height: 170}
	spans := make([]span, len(p.Panels))
	seen := map[string]bool{}
	deepest := 100.0
	for i, panel := range p.Panels {
		for _, curve := range panel.Curves {
			l := look{curve.Index, curve.Basis}
			if name := l.named(curve.Name); !seen[name] {
				seen[name] = true
				g.entries = append(g.entries, seriesEntry(curve.Name, l))
			}
			for _, q := range p.visible(curve) {
				spans[i].add(p.YLog, q.y)
				deepest = max(deepest, q.x)
			}
		}
	}
	axes, own := shared(spans, yAxis(p.YLog))
	g.ownScale = own
	for i, panel := range p.Panels {
		g.panels = append(g.panels, p.panel(panel, tailAxis(deepest), axes[i], spans[i].some))
	}
	return g
}

func (p Percentiles) panel(of CurvePanel, x, y axis, some bool) panel {
	var about []string
	for _, c := range of.Curves {
		about = append(about, fmt.Sprintf("%s, %s %ss", look{c.Index, c.Basis}.named(c.Name), number(float64(c.Count), 0), p.Unit))
	}
	return panel{title: of.Title, x: x, y: y, empty: !some, about: of.Title + ": " + strings.Join(about, "; ") + ".",
		draw: func(c *canvas, x, y axis) {
			for _, curve := range of.Curves {
				p.draw(c, curve, x, y)
			}
		}}
}

// tailAxis returns the axis of 1/(1-q), on which each nine is as wide as the one before,
// because it is ten times as rare. It ends at deepest, one in that many.
func tailAxis(deepest float64) axis {
	a := axis{lo: 1, hi: deepest * 1.05, log: true, ticks: []tick{{1, "0"}, {2, "50"}}}
	name := "9"
	for rare := 10.0; rare <= a.hi && len(a.ticks) < 20; rare *= 10 {
		text := name + "0"
		if rare > 10 {
			text = strings.TrimSuffix(name[:2]+"."+name[2:], ".")
		}
		a.ticks = append(a.ticks, tick{rare, text})
		name += "9"
	}
	return a
}

// visible returns the points (1/(1-q), value) of a curve in ascending order, up to the one
// beyond which less than one transaction remains. The last point is the maximum: one in Count.
func (p Percentiles) visible(c Curve) []dot {
	points := slices.Clone(c.Points)
	slices.SortStableFunc(points, func(a, b Quantile) int { return compare(a.Share, b.Share) })
	last := float64(c.Count)
	if c.Count <= 0 {
		last = math.MaxFloat64
	}
	var dots []dot
	for _, q := range points {
		if !(q.Share >= 0 && q.Share <= 1) || !finite(q.Value) || p.YLog && q.Value <= 0 {
			continue
		}
		x := 1 / (1 - q.Share)
		switch {
		case x < last:
			dots = append(dots, dot{x, q.Value})
		case c.Count > 0:
			return append(dots, dot{last, q.Value})
		}
	}
	return dots
}

// draw draws a curve, with a marker at each labelled percentile.
func (p Percentiles) draw(c *canvas, curve Curve, x, y axis) {
	l := look{curve.Index, curve.Basis}
	values := p.visible(curve)
	if len(values) == 0 {
		return
	}
	var dots []dot
	for _, v := range values {
		dots = append(dots, dot{x.at(v.x), y.at(v.y)})
	}
	c.group(l.colour(), "", func() {
		c.path(l.line(), pieces(dots, func(int) bool { return false }))
		for _, t := range x.ticks {
			if i, ok := reached(values, t.value); ok {
				c.group("tip", l.named(curve.Name)+", p"+t.label+": "+short(values[i].y)+unitOf(p.YTitle), func() {
					c.path(l.mark(), l.path(x.at(t.value), dots[i].y))
				})
			}
		}
	})
}

// reached returns the first point of a curve at or beyond x: percentiles are steps, so the
// value that is not exceeded is that of the next point.
func reached(values []dot, x float64) (int, bool) {
	if len(values) == 1 {
		return 0, values[0].x == x
	}
	for i, v := range values {
		if v.x >= x*(1-1e-9) {
			return i, x >= values[0].x*(1-1e-9)
		}
	}
	return 0, false
}

// unitOf returns the unit in a title such as "latency, ms".
func unitOf(title string) string {
	if _, unit, ok := strings.Cut(title, ", "); ok {
		return " " + unit
	}
	return ""
}
