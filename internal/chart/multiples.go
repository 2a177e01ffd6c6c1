package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// SVG draws all panels as one picture, up to three side by side, with one legend. The vertical
// axis is the same in all of them, so that heights can be compared, unless their greatest
// values differ by more than a factor of five: then each has its own, and its title says so.
func (m Multiples) SVG() string { return m.grid().picture() }

// PanelSVG draws panel i alone, 320 px wide, with the same legend and vertical axis as in SVG.
// It returns "" if there is no such panel.
func (m Multiples) PanelSVG(i int) string { return m.grid().one(i) }

// columnsOf returns the number of panels side by side.
func columnsOf(panels int) int {
	if panels == 2 || panels == 4 {
		return 2
	}
	return min(panels, 3)
}

func (m Multiples) grid() grid {
	g := grid{class: "multiples", title: m.Title, xTitle: m.XTitle, yTitle: m.YTitle,
		columns: columnsOf(len(m.Panels)), width: 320, height: 170}
	spans := make([]span, len(m.Panels))
	seen := map[string]bool{}
	for i, p := range m.Panels {
		for _, s := range p.Series {
			l := look{s.Index, s.Basis}
			if name := l.named(s.Name); !seen[name] {
				seen[name] = true
				g.entries = append(g.entries, seriesEntry(s.Name, l))
			}
			for _, point := range m.visible(s) {
				spans[i].add(m.YLog, point.Y, point.Low, point.High)
			}
		}
	}
	axes, own := shared(spans, yAxis(m.YLog))
	g.ownScale = own
	x := m.xAxis()
	for i, p := range m.Panels {
		g.panels = append(g.panels, panel{title: p.Title, x: x, y: axes[i], empty: !spans[i].some,
			about: p.about(), draw: func(c *canvas, x, y axis) { m.draw(c, p, x, y) }})
	}
	return g
}

// visible returns the points of a series that can be drawn: those whose numbers are finite,
// and above zero on a logarithmic axis.
func (m Multiples) visible(s Series) []Point {
	return slices.DeleteFunc(slices.Clone(s.Points), func(p Point) bool {
		return !finite(p.X) || !finite(p.Y) || m.XLog && p.X <= 0 || m.YLog && p.Y <= 0
	})
}

// xAxis returns the horizontal axis, the same in all panels. A logarithmic one has a tick at
// each X that occurs: the values are few and chosen, so round numbers between them do not help.
func (m Multiples) xAxis() axis {
	var s span
	var xs []float64
	for _, p := range m.Panels {
		for _, series := range p.Series {
			for _, point := range m.visible(series) {
				s.add(m.XLog, point.X)
				xs = append(xs, point.X)
			}
		}
	}
	if !m.XLog || !s.some {
		a := linearAxis(s, 6)
		pad := (a.hi - a.lo) * 0.04 // so that no mark is on the edge
		a.lo, a.hi = a.lo-pad, a.hi+pad
		return a
	}
	if m.Free {
		a := logAxis(s, 5)
		a.lo, a.hi = a.lo/1.1, a.hi*1.2 // so that the last label fits
		return a
	}
	slices.Sort(xs)
	pad := math.Max(math.Pow(s.hi/s.lo, 0.05), 1.08)
	a := axis{lo: s.lo / pad, hi: s.hi * pad, log: true}
	for _, x := range slices.Compact(xs) {
		a.ticks = append(a.ticks, tick{x, plain(x)})
	}
	return a
}

func (m Multiples) draw(c *canvas, p Panel, x, y axis) {
	var front []dot
	for _, point := range m.visible(Series{Points: p.Front}) {
		front = append(front, dot{x.at(point.X), y.at(point.Y)})
	}
	if len(front) > 1 {
		c.path("null dashed", polyline(front))
	}
	for i, s := range p.Series {
		l := look{s.Index, s.Basis}
		shift := dodge(i, len(p.Series))
		if m.Free {
			shift = 0
		}
		points := m.visible(s)
		slices.SortStableFunc(points, func(a, b Point) int { return compare(a.X, b.X) })
		c.group(l.colour(), "", func() {
			var dots []dot
			for _, point := range points {
				dots = append(dots, dot{x.at(point.X) + shift, y.at(point.Y)})
			}
			if len(dots) > 1 {
				c.path(l.line(), polyline(dots))
			}
			for k, point := range points {
				c.group("tip", orName(point.Text, l.named(s.Name)), func() { drawPoint(c, l, dots[k], point, y) })
			}
		})
	}
}

// dodge shifts the series apart by a few px, so that intervals at the same X do not hide one
// another.
func dodge(i, n int) float64 {
	return (float64(i) - float64(n-1)/2) * min(5, 14/float64(max(n, 1)))
}

// drawPoint draws a marker, and the interval as a vertical bar with end caps.
func drawPoint(c *canvas, l look, at dot, p Point, y axis) {
	if finite(p.Low) && finite(p.High) && p.Low < p.High {
		low, high := y.at(y.clamp(p.Low)), y.at(y.clamp(p.High))
		c.path("bar", "M"+px(at.x-3)+" "+px(low)+"h6m-3 0V"+px(high)+"m-3 0h6")
	}
	c.path(l.mark(), l.path(at.x, at.y))
}

func (p Panel) about() string {
	var names []string
	for _, s := range p.Series {
		names = append(names, fmt.Sprintf("%s, %d points", look{s.Index, s.Basis}.named(s.Name), len(s.Points)))
	}
	if len(names) == 0 {
		return ""
	}
	return p.Title + ": " + strings.Join(names, "; ") + "."
}

func orName(text, name string) string {
	if text == "" {
		return name
	}
	return text
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
