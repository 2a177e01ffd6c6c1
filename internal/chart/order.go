package chart

import (
	"fmt"
	"math"
	"strings"
)

// SVG draws the panels below one another on one axis of run numbers, so that a disturbance of
// the machine is visible in all workloads. An invalid or failed run is a cross. The vertical
// axis is the same in all panels, as in Multiples.
func (o Order) SVG() string {
	g := o.grid()
	g.width, g.height, g.columns = 720, 110, 1
	return g.picture()
}

// PanelSVG draws panel i alone, 320 px wide; it returns "" if there is no such panel.
func (o Order) PanelSVG(i int) string { return o.grid().one(i) }

func (o Order) grid() grid {
	g := grid{class: "order", title: o.Title, xTitle: "runs in order of execution", yTitle: o.YTitle,
		columns: 1, width: 320, height: 150, entries: o.entries()}
	spans := make([]span, len(o.Panels))
	var xs span
	for i, p := range o.Panels {
		for _, r := range p.Runs {
			g.links = g.links || linked(r.Href)
			if o.visible(r) {
				spans[i].add(o.YLog, r.Y)
				xs.add(false, r.X)
			}
		}
	}
	axes, own := shared(spans, o.yAxis)
	g.ownScale = own
	for i, p := range o.Panels {
		g.panels = append(g.panels, panel{title: p.Title, x: runAxis(xs), y: axes[i], empty: !spans[i].some,
			about: p.about(), draw: func(c *canvas, x, y axis) { o.draw(c, p, x, y) }})
	}
	return g
}

func (o Order) visible(r OrderRun) bool {
	return finite(r.X) && finite(r.Y) && (!o.YLog || r.Y > 0)
}

// yAxis does not begin at zero if all runs are close together: drift is a few percent, and the
// chart has to show it.
func (o Order) yAxis(s span) axis {
	if o.YLog {
		return logAxis(s, 4)
	}
	return linearAxis(s, 4)
}

// runAxis returns an axis whose ticks are whole numbers.
func runAxis(s span) axis {
	if !s.some {
		s = span{lo: 1, hi: 1}
	}
	pad := max(0.5, (s.hi-s.lo)*0.02)
	a := axis{lo: s.lo - pad, hi: s.hi + pad, ticks: []tick{{s.lo, number(s.lo, 0)}}}
	for _, t := range linearTicks(a.lo, a.hi, int(min(8, s.hi-s.lo+1))) {
		if t.value > s.lo && t.value == math.Trunc(t.value) {
			a.ticks = append(a.ticks, tick{t.value, number(t.value, 0)})
		}
	}
	return a
}

// entries returns the environments, as markers without a line because runs are not connected,
// and the cross if it occurs.
func (o Order) entries() []entry {
	var list []entry
	for i, name := range o.Names {
		l := look{index: i}
		list = append(list, entry{name, 14, func(c *canvas, x, y float64) {
			c.group(l.colour(), "", func() { c.path(l.mark(), l.path(x+4, y)) })
		}})
	}
	bad := map[string]bool{}
	for _, p := range o.Panels {
		for _, r := range p.Runs {
			if r.Bad != "" && !bad[r.Bad] {
				bad[r.Bad] = true
				list = append(list, entry{r.Bad, 14, func(c *canvas, x, y float64) { c.path("cross", cross(x+4, y)) }})
			}
		}
	}
	return list
}

func (o Order) draw(c *canvas, p OrderPanel, x, y axis) {
	for _, r := range p.Runs {
		if !o.visible(r) {
			continue
		}
		draw := func() {
			c.group(look{index: r.Index}.colour()+" tip", r.Text, func() { r.mark(c, x.at(r.X), y.at(r.Y)) })
		}
		if !linked(r.Href) {
			draw()
			continue
		}
		c.add(`<a href="%s" aria-label="%s">`, escape(r.Href), escape(orName(r.Text, fmt.Sprintf("run %s", short(r.X)))))
		draw()
		c.add(`</a>`)
	}
}

func (r OrderRun) mark(c *canvas, x, y float64) {
	l := look{index: r.Index}
	if r.Bad == "" {
		c.path(l.mark(), l.path(x, y))
		return
	}
	c.path("cross", cross(x, y))
}

// linked reports whether href points into this page or this server. Other links are left out:
// a name in a record must not become an external link, or a script.
func linked(href string) bool {
	return strings.HasPrefix(href, "#") || strings.HasPrefix(href, "/") && !strings.HasPrefix(href, "//")
}

func (p OrderPanel) about() string {
	if len(p.Runs) == 0 {
		return ""
	}
	bad := 0
	for _, r := range p.Runs {
		if r.Bad != "" {
			bad++
		}
	}
	return fmt.Sprintf("%s: %d runs, %d of them do not count.", p.Title, len(p.Runs), bad)
}
