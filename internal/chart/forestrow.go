package chart

import "strings"

// group draws the heading of a group and returns the y at which its rows begin.
func (p forestPlan) group(c *canvas, name string, y float64) float64 {
	c.text(label{x: 0, y: y + 19, class: "bold muted", size: normal * boldWidth, width: float64(p.Width), text: name})
	return y + forestGroup
}

// row draws a row and returns the y of the next one.
func (p forestPlan) row(c *canvas, r ForestRow, y float64) float64 {
	middle := y + forestRow/2
	if p.narrow {
		middle = y + 48
		p.above(c, r, y)
	} else {
		p.beside(c, r, middle+4)
	}
	if r.Missing != "" {
		p.missing(c, r, middle)
		return y + p.rowHeight()
	}
	if p.drawn(r) {
		title := strings.Join(filled(r.Label, r.detail(), r.Text, r.Word), ", ")
		c.group(r.colour()+" tip", title, func() { p.mark(c, r, middle) })
	}
	return y + p.rowHeight()
}

// named draws a label followed by its detail in smaller type. The label is shortened first,
// because the detail distinguishes rows with the same label.
func (p forestPlan) named(c *canvas, r ForestRow, y, room float64) {
	share := room * 0.7
	if clean(r.Label) == "" { // its label is in a row above
		share = room - 8
	}
	detail := cut(clean(r.detail()), small, share)
	gap := gapIf(textWidth(detail, small)) / 1.5
	name := cut(clean(r.Label), normal*boldWidth, room-textWidth(detail, small)-gap)
	class := ""
	if r.Whole {
		class = ` class="bold"`
	}
	c.add(`<text y="%s"><tspan%s x="0">%s</tspan>`, px(y), class, escape(name))
	if detail != "" {
		c.add(`<tspan class="small muted" dx="%s">%s</tspan>`, px(gap), escape(detail))
	}
	if full := strings.Join(filled(clean(r.Label), clean(r.detail())), ", "); name != clean(r.Label) || detail != clean(r.detail()) {
		c.add(`<title>%s</title>`, escape(full))
	}
	c.add(`</text>`)
}

// beside draws the text of a row on the line of its mark.
func (p forestPlan) beside(c *canvas, r ForestRow, y float64) {
	p.named(c, r, y, p.labels)
	if r.Missing == "" {
		c.text(label{x: p.textEnd, y: y, class: "small end", size: small, width: p.textEnd - p.words, text: r.Text})
	}
	p.verdict(c, r, label{x: p.verdicts, y: y, class: "bold", width: float64(p.Width) - p.verdicts})
}

// above draws the text of a row on two lines above its mark.
func (p forestPlan) above(c *canvas, r ForestRow, y float64) {
	width := float64(p.Width)
	word := min(textWidth(clean(r.Word), normal*boldWidth), width*0.35)
	p.named(c, r, y+16, width-word-gapIf(word))
	p.verdict(c, r, label{x: width, y: y + 16, class: "bold end", width: word})
	if r.Missing == "" {
		c.text(label{y: y + 31, class: "small", size: small, width: width, text: r.Text})
	}
}

// verdict draws the verdict in its colour.
func (p forestPlan) verdict(c *canvas, r ForestRow, l label) {
	if r.Word == "" {
		return
	}
	c.group(r.colour(), "", func() {
		l.class, l.size, l.text = l.class+" word", normal*boldWidth, r.Word
		c.text(l)
	})
}

// missing draws the reason why there is no mark.
func (p forestPlan) missing(c *canvas, r ForestRow, y float64) {
	if p.narrow {
		c.text(label{y: y - 17, class: "small muted", size: small, width: float64(p.Width), text: r.Missing})
		return
	}
	left := p.axis.from
	c.text(label{x: left, y: y + 4, class: "small muted", size: small, width: p.textEnd - left, text: r.Missing})
}

// mark draws an effect and its interval, or the range of its blocks.
func (p forestPlan) mark(c *canvas, r ForestRow, y float64) {
	p.interval(c, r, y)
	class := (look{basis: r.Basis}).mark()
	switch at := p.axis.at(p.axis.clamp(r.Effect)); {
	case r.Effect < p.axis.lo:
		c.path("mark", "M"+px(p.axis.from-6)+" "+px(y)+"l7-4.5v9z")
	case r.Effect > p.axis.hi:
		c.path("mark", "M"+px(p.axis.to+6)+" "+px(y)+"l-7-4.5v9z")
	case r.Whole:
		c.path(class, "M"+px(at)+" "+px(y)+"m0-6.5l8 6.5l-8 6.5l-8-6.5z")
	default:
		c.path(class, "M"+px(at)+" "+px(y)+markers[0])
	}
}

// interval draws a bar with end caps, or a dotted bar without caps for a range. An end beyond
// the axis, or at infinity, is an arrow.
func (p forestPlan) interval(c *canvas, r ForestRow, y float64) {
	if !(r.Low < r.High) {
		return
	}
	left, right := p.axis.at(p.axis.clamp(r.Low)), p.axis.at(p.axis.clamp(r.High))
	c.line(r.bar(), left, y, right, y)
	caps := ""
	switch {
	case r.Low < p.axis.lo:
		caps += "M" + px(left+1) + " " + px(y-4) + "l-6 4l6 4"
	case !r.Range:
		caps += "M" + px(left) + " " + px(y-4) + "v8"
	}
	switch {
	case r.High > p.axis.hi:
		caps += "M" + px(right-1) + " " + px(y-4) + "l6 4l-6 4"
	case !r.Range:
		caps += "M" + px(right) + " " + px(y-4) + "v8"
	}
	c.path("bar", caps)
}

func (r ForestRow) bar() string {
	class := "bar"
	if r.Whole {
		class += " thick"
	}
	switch {
	case r.Range:
		class += " range"
	case !(look{basis: r.Basis}).measured():
		class += " dashed"
	}
	return class
}
