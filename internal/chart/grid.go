package chart

import "strings"

// A grid is small charts of one kind, arranged in columns.
type grid struct {
	class, title   string
	xTitle, yTitle string
	ownScale       bool // each panel has its own vertical axis
	entries        []entry
	panels         []panel
	columns        int
	width, height  float64 // of a panel, and of the plot in it
	links          bool
}

// A panel is one chart of a grid.
type panel struct {
	title string
	x, y  axis // without px: the grid sets their ends
	empty bool
	about string // for screen readers
	draw  func(c *canvas, x, y axis)
}

// Space around the plot of a panel, in px.
const (
	panelHead  = 42.0
	panelFoot  = 36.0
	panelRight = 14.0
	panelGap   = 14.0
)

func (g grid) panelHeight() float64 { return panelHead + g.height + panelFoot }

// picture draws all panels and one legend.
func (g grid) picture() string { return g.compose(g.panels, g.columns) }

// one draws one panel with the legend; it returns "" if panel i does not exist.
func (g grid) one(i int) string {
	if i < 0 || i >= len(g.panels) {
		return ""
	}
	return g.compose(g.panels[i:i+1], 1)
}

func (g grid) compose(panels []panel, columns int) string {
	if len(panels) == 0 {
		panels, columns = []panel{{empty: true, y: linearAxis(span{}, 4)}}, 1
	}
	columns = min(columns, len(panels))
	width := float64(columns)*(g.width+panelGap) - panelGap
	var c canvas
	top := legend(&c, g.entries, 0, 0, width)
	if top > 0 {
		top += 8
	}
	left := g.left()
	var about []string
	for i, p := range panels {
		g.panel(&c, p, float64(i%columns)*(g.width+panelGap), top+float64(i/columns)*(g.panelHeight()+panelGap), left)
		about = append(about, p.about)
	}
	rows := float64((len(panels) + columns - 1) / columns)
	return document{class: g.class, title: orNothing(g.title), about: orNothing(strings.TrimSpace(strings.Join(about, " "))),
		width: width, height: top + rows*(g.panelHeight()+panelGap) - panelGap, links: g.links, body: c.String()}.String()
}

// left returns the width of the labels of the vertical axes: the same in all panels, so that
// the axes are aligned.
func (g grid) left() float64 {
	widest := 16.0
	for _, p := range g.panels {
		for _, t := range p.y.ticks {
			widest = max(widest, textWidth(t.label, small))
		}
	}
	return min(widest+8, g.width/3)
}

func (g grid) panel(c *canvas, p panel, x, y, left float64) {
	c.text(label{x: x, y: y + 13, class: "large", size: large * boldWidth, width: g.width, text: p.title})
	yTitle := g.yTitle
	if g.ownScale && yTitle != "" {
		yTitle += " (own scale)"
	}
	c.text(label{x: x, y: y + 30, class: "small muted", size: small, width: g.width, text: yTitle})
	p.x.from, p.x.to = x+left, x+g.width-panelRight
	p.y.from, p.y.to = y+panelHead+g.height, y+panelHead
	if p.empty {
		c.line("grid", x, p.y.from, p.x.to, p.y.from)
		c.empty(x, p.x.to, (p.y.from+p.y.to)/2)
		return
	}
	upright(c, p.y, p.x.from, p.x.to)
	level(c, p.x, p.y.from)
	c.text(label{x: (p.x.from + p.x.to) / 2, y: p.y.from + 31, class: "small muted middle", size: small, width: g.width - left, text: g.xTitle})
	p.draw(c, p.x, p.y)
}

// upright draws a vertical axis: a line across the plot at each tick.
func upright(c *canvas, y axis, left, right float64) {
	d := ""
	for _, t := range y.ticks {
		at := y.at(t.value)
		d += "M" + px(left) + " " + px(at) + "H" + px(right)
		c.text(label{x: left - 6, y: at + 4, class: "small muted end", size: small, text: t.label})
	}
	c.path("grid", d)
}

// level draws a horizontal axis below a plot.
func level(c *canvas, x axis, bottom float64) {
	d := "M" + px(x.from) + " " + px(bottom) + "H" + px(x.to)
	for _, t := range x.fit() {
		at := x.at(t.value)
		d += "M" + px(at) + " " + px(bottom) + "v4"
		c.text(label{x: at, y: bottom + 16, class: "small muted middle", size: small, text: t.label})
	}
	c.path("axis", d)
}

// scaleApart is the ratio of two panels' greatest values above which a common axis would
// flatten the lesser one.
const scaleApart = 5

// shared returns the axes of panels, given the span of each: a common one, or, if the spans
// are too far apart, separate ones; own is then true.
func shared(spans []span, build func(span) axis) (axes []axis, own bool) {
	var all, tops span
	for _, s := range spans {
		if s.some {
			all.add(false, s.lo, s.hi)
			tops.add(false, s.hi)
		}
	}
	own = len(spans) > 1 && tops.some && tops.hi > scaleApart*tops.lo
	for _, s := range spans {
		if !own {
			s = all
		}
		axes = append(axes, build(s))
	}
	return axes, own
}

// yAxis returns the constructor of a panel's vertical axis. A linear one begins at zero,
// because heights are compared.
func yAxis(log bool) func(span) axis {
	if log {
		return func(s span) axis { return logAxis(s, 6) }
	}
	return func(s span) axis {
		if s.some {
			s.add(false, 0)
		}
		return linearAxis(s, 5)
	}
}
