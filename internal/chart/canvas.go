package chart

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Text sizes in px. Nothing is smaller than small: it must be legible on paper.
const (
	small  = 11.0
	normal = 12.0
	large  = 13.0
)

// canvas collects the elements of a picture.
type canvas struct{ strings.Builder }

func (c *canvas) add(format string, args ...any) { fmt.Fprintf(c, format, args...) }

// px prints a coordinate: a tenth of a pixel is more than an eye sees, and further
// digits are half the size of a file.
func px(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "0"
	}
	return strconv.FormatFloat(math.Round(v*10)/10+0, 'f', -1, 64)
}

// label is text at a place.
type label struct {
	x, y  float64
	class string  // "end" or "middle" in it anchors the text
	size  float64 // what its class makes it
	width float64 // it is cut to this; 0 for no bound
	text  string
}

func (c *canvas) text(l label) {
	full := clean(l.text)
	shown, title := full, ""
	if l.width > 0 {
		shown = cut(full, l.size, l.width)
	}
	if shown == "" {
		return
	}
	if shown != full {
		title = "<title>" + escape(full) + "</title>"
	}
	c.add(`<text class="%s" x="%s" y="%s">%s%s</text>`, l.class, px(l.x), px(l.y), escape(shown), title)
}

func (c *canvas) line(class string, x1, y1, x2, y2 float64) {
	c.path(class, "M"+px(x1)+" "+px(y1)+"L"+px(x2)+" "+px(y2))
}

func (c *canvas) path(class, d string) {
	if d != "" {
		c.add(`<path class="%s" d="%s"/>`, class, d)
	}
}

func (c *canvas) rect(class string, x, y, w, h float64) {
	c.add(`<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>`, class, px(x), px(y), px(max(w, 0)), px(max(h, 0)))
}

// empty says that there is nothing to draw between left and right.
func (c *canvas) empty(left, right, y float64) {
	c.text(label{x: (left + right) / 2, y: y, class: "muted middle", size: normal, text: nothing})
}

// group draws in a g of a class; what it is about stands in its title, which the
// page shows as a tooltip.
func (c *canvas) group(class, title string, draw func()) {
	c.add(`<g class="%s">`, class)
	if t := escape(title); t != "" {
		c.add(`<title>%s</title>`, t)
	}
	draw()
	c.add(`</g>`)
}
