package chart

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Text sizes in px. No text is smaller than small, so that it is legible on paper.
const (
	small  = 11.0
	normal = 12.0
	large  = 13.0
)

// A canvas collects the elements of a picture.
type canvas struct{ strings.Builder }

func (c *canvas) add(format string, args ...any) { fmt.Fprintf(c, format, args...) }

// px formats a coordinate to a tenth of a pixel: more is invisible, and further digits are
// half the size of a file.
func px(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "0"
	}
	return strconv.FormatFloat(math.Round(v*10)/10+0, 'f', -1, 64)
}

// A label is a text and its position.
type label struct {
	x, y  float64
	class string  // contains "end" or "middle" to anchor the text
	size  float64 // the font size of its class
	width float64 // the text is cut to this width; 0 for no limit
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

// empty writes a message between left and right that there is no data.
func (c *canvas) empty(left, right, y float64) {
	c.text(label{x: (left + right) / 2, y: y, class: "muted middle", size: normal, text: nothing})
}

// group draws into a g element of a class. Its title is the tooltip on the page.
func (c *canvas) group(class, title string, draw func()) {
	c.add(`<g class="%s">`, class)
	if t := escape(title); t != "" {
		c.add(`<title>%s</title>`, t)
	}
	draw()
	c.add(`</g>`)
}
