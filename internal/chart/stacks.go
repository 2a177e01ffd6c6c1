package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Stacks shows wholes that are cut into parts: horizontal bars below one another.
type Stacks struct {
	Title  string // for screen readers
	XTitle string // "ms a transaction"
	Width  int    // in px; 720 if 0
	Panels []StackPanel
}

// A StackPanel holds the bars that share an axis: those of one cell.
type StackPanel struct {
	Title string // "tpcb-like, 8 clients"
	Bars  []Stack
}

// A Stack is one bar: an environment.
type Stack struct {
	Name  string
	Index int // of the environment, as in Series
	Basis Basis
	Text  string // beside its name: "4.1 ms"
	Note  string // below the bar, in as many lines as it needs
	Parts []StackPart
	// Whole is the size of the whole. A line marks it in a bar whose parts are more than that.
	Whole float64
	// Missing is the reason why there is no bar. It is shown in its place.
	Missing    string
	Href, Link string // a link below the bar, and its text; "" for none
}

// A StackPart is one part of a bar. A part that is not above zero is not drawn.
type StackPart struct {
	Name  string
	Look  int // selects colour and texture; Rest is hatched
	Value float64
	Text  string // in the bar, if there is room: "62 %"
	Tip   string // its tooltip
}

// Rest is the look of what is left when all parts are taken off the whole.
const Rest = -1

// textures is the number of parts of one colour that can be distinguished.
const textures = 3

const (
	stackBar    = 30.0 // height of a bar: style.css has stripes of this height
	stackSwatch = 12.0 // of a swatch in the legend: likewise
	stackLine   = 17.0 // height of a line of text
	stackApart  = 20.0 // between two bars
	stackMarker = 16.0
	stackEdge   = 14.0 // right of the axis, for the half of its last label
	fewestPx    = 240
	mostLines   = 4
)

// SVG draws the panels below one another, each with its own axis, and one legend.
func (s Stacks) SVG() string {
	if s.Width == 0 {
		s.Width = 720
	}
	s.Width = max(s.Width, fewestPx)
	var c canvas
	y, width := 0.0, float64(s.Width)
	for i, p := range s.Panels {
		if i > 0 {
			y += stackApart
		}
		y = s.panel(&c, p, y)
	}
	if len(s.Panels) == 0 {
		c.empty(0, width, 24)
		y = 40
	}
	if list := s.entries(); len(list) > 0 {
		y += 12
		y += legend(&c, list, 0, y, width)
	}
	return document{class: "stacks", title: orNothing(s.Title), about: s.about(), width: width, height: y + 2, links: s.links(), body: c.String()}.String()
}

func (s Stacks) panel(c *canvas, p StackPanel, y float64) float64 {
	if p.Title != "" {
		y += 14
		c.text(label{x: 0, y: y, class: "large", size: large * boldWidth, width: float64(s.Width), text: p.Title})
		y += 12
	}
	x, some := s.axis(p)
	for i, b := range p.Bars {
		if i > 0 {
			y += stackApart
		}
		y = s.bar(c, b, x, y)
	}
	if !some {
		return y
	}
	y += 10
	line := "M" + px(x.from) + " " + px(y) + "H" + px(x.to)
	for _, t := range x.fit() {
		at := x.at(t.value)
		line += "M" + px(at) + " " + px(y) + "v4"
		class := "small muted middle"
		if t.value == x.lo {
			class, at = "small muted", x.from
		}
		c.text(label{x: at, y: y + 16, class: class, size: small, text: t.label})
	}
	c.path("axis", line)
	c.text(label{x: (x.from + x.to) / 2, y: y + 32, class: "small muted middle", size: small, width: float64(s.Width), text: s.XTitle})
	return y + 36
}

// axis returns the axis of a panel, from zero, and whether it has a bar at all.
func (s Stacks) axis(p StackPanel) (axis, bool) {
	ends := span{lo: 0, hi: 0, some: true}
	for _, b := range p.Bars {
		if b.Missing == "" {
			ends.add(false, b.Whole, b.drawn())
		}
	}
	some := ends.hi > 0
	if ends.lo = 0; !some {
		ends.hi = 1
	}
	a := linearAxis(ends, s.Width/80+1)
	a.hi = ends.hi // the longest bar fills the width
	a.ticks = linearTicks(a.lo, a.hi, s.Width/80+1)
	a.from, a.to = 1, float64(s.Width)-stackEdge
	return a, some
}

// drawn returns the sum of the parts that are drawn.
func (b Stack) drawn() (sum float64) {
	for _, p := range b.Parts {
		if p.visible() && finite(sum+p.Value) {
			sum += p.Value
		}
	}
	return sum
}

func (p StackPart) visible() bool { return finite(p.Value) && p.Value > 0 && p.Value < 1e300 }

// bar draws a bar with its name above it and its note below, and returns where it ends.
func (s Stacks) bar(c *canvas, b Stack, x axis, y float64) float64 {
	width := float64(s.Width)
	l := look{index: b.Index, basis: b.Basis}
	c.group(l.colour(), "", func() { c.path(l.mark(), l.path(5, y+stackLine-8)) })
	room := width - stackMarker
	beside := textWidth(clean(b.Text), normal) + 12
	fits := beside < room/2
	if fits {
		room -= beside
		c.text(label{x: width - stackEdge, y: y + stackLine - 4, class: "end muted", size: normal, text: b.Text})
	}
	y = c.lines(l.named(b.Name), "bold", stackMarker, y, room/boldWidth, 3)
	if !fits {
		y = c.lines(b.Text, "muted", 0, y, width, 2)
	}
	y += 5
	if b.Missing != "" {
		c.rect("without", 0.5, y+0.5, width-stackEdge, max(stackBar, s.height(b.Missing, width-stackEdge-16)+8))
		y = c.lines(b.Missing, "muted", 8, y+4, width-stackEdge-16, mostLines)
		return s.foot(c, b, y+6)
	}
	grid := ""
	for _, t := range x.ticks {
		grid += "M" + px(x.at(t.value)) + " " + px(y-3) + "v" + px(stackBar+6)
	}
	c.path("grid", grid)
	c.rect("paper", x.from, y, x.at(b.drawn())-x.from, stackBar)
	sum, labelled := 0.0, false
	for _, p := range b.Parts {
		if p.visible() && finite(sum+p.Value) {
			labelled = p.draw(c, x.at(sum), x.at(sum+p.Value), y) || labelled
			sum += p.Value
		}
	}
	if !labelled {
		b.beside(c, x.at(sum)+8, x.to, y)
	}
	if finite(b.Whole) && b.Whole > 0 && b.Whole < sum*0.999 {
		at := x.at(b.Whole)
		c.path("end-of-whole", "M"+px(at)+" "+px(y-5)+"v7M"+px(at)+" "+px(y+stackBar-2)+"v7")
	}
	return s.foot(c, b, y+stackBar+4)
}

// beside names the largest part beside a bar in which no part has room for its name.
func (b Stack) beside(c *canvas, from, to, y float64) {
	var largest StackPart
	for _, p := range b.Parts {
		if p.visible() && p.Value > largest.Value {
			largest = p
		}
	}
	text := clean(largest.Name + " " + largest.Text)
	if largest.Value > 0 && textWidth(text, normal) <= to-from {
		c.text(label{x: from, y: y + stackBar/2 + 4, class: "muted", size: normal, text: text})
	}
}

// foot writes what stands below a bar.
func (s Stacks) foot(c *canvas, b Stack, y float64) float64 {
	width := float64(s.Width)
	if b.Note != "" {
		y = c.lines(b.Note, "", 0, y, width, mostLines)
	}
	if linked(b.Href) && b.Link != "" {
		c.add(`<a href="%s">`, escape(b.Href))
		y = c.lines(b.Link, "link", 0, y, width, 1)
		c.add(`</a>`)
	}
	return y
}

// draw draws a part between two positions, and reports whether its name is in it.
func (p StackPart) draw(c *canvas, from, to, y float64) (named bool) {
	width := to - from
	c.group(p.colour()+" tip", p.Tip, func() {
		p.fill(c, from, y, width, stackBar)
		for i, text := range []string{p.Name + " " + p.Text, p.Name, p.Text} {
			text = clean(text)
			if text != "" && textWidth(text, normal)+10 <= width {
				c.text(label{x: from + width/2, y: y + stackBar/2 + 4, class: "middle", size: normal, text: text})
				named = i < 2
				break
			}
		}
	})
	return named
}

func (p StackPart) slot() int {
	return (p.Look%(seriesCount*textures) + seriesCount*textures) % (seriesCount * textures)
}

// colour returns the class of a group, which sets the colour of its content.
func (p StackPart) colour() string {
	if p.Look == Rest {
		return "faint"
	}
	return fmt.Sprintf("p%d", p.slot()%seriesCount)
}

// fill draws the area of a part: plain, with vertical or with horizontal lines; what is left is hatched.
func (p StackPart) fill(c *canvas, x, y, w, h float64) {
	// Neighbours are apart by the width of their outlines.
	x, w = x+0.5, max(w-1, 0.5)
	if p.Look == Rest {
		c.rect("rest", x, y, w, h)
		c.path("texture", hatching(x, y, w, h))
		return
	}
	c.rect("part", x, y, w, h)
	switch p.slot() / seriesCount {
	case 1:
		c.path(fmt.Sprintf("texture stripes-%.0f", h), "M"+px(x+3)+" "+px(y+h/2)+"h"+px(max(w-3, 0)))
	case 2:
		c.path("texture", stripes(x, y, w, h))
	}
}

const spacing = 8.0

// stripes returns horizontal lines in an area, and hatching diagonal ones.
func stripes(x, y, w, h float64) string {
	var b strings.Builder
	for at := y + spacing/2; at < y+h; at += spacing {
		b.WriteString("M" + px(x) + " " + px(at) + "h" + px(w))
	}
	return b.String()
}

func hatching(x, y, w, h float64) string {
	var b strings.Builder
	for at := spacing / 2; at < w+h; at += spacing {
		// from the lower edge, or the right one, up to the right
		from, to := max(0, at-h), min(at, w)
		if to-from < 0.5 {
			continue
		}
		b.WriteString("M" + px(x+from) + " " + px(y+at-from) + "l" + px(to-from) + px(from-to))
	}
	return b.String()
}

// entries returns the parts that are drawn, what is left last. A part comes after those that it follows in a bar.
func (s Stacks) entries() []entry {
	var parts []StackPart
	for _, p := range s.Panels {
		for _, b := range p.Bars {
			at := 0
			for _, part := range b.Parts {
				if b.Missing != "" || !part.visible() {
					continue
				}
				known := slices.IndexFunc(parts, func(o StackPart) bool { return o.Name == part.Name })
				if known < 0 {
					parts = slices.Insert(parts, at, part)
					known = at
				}
				at = known + 1
			}
		}
	}
	slices.SortStableFunc(parts, func(a, b StackPart) int { return cmp.Compare(-min(a.Look, 0), -min(b.Look, 0)) })
	var list []entry
	for _, part := range parts {
		list = append(list, entry{part.Name, 24, func(c *canvas, x, y float64) {
			c.group(part.colour(), "", func() { part.fill(c, x, y-6, 18, stackSwatch) })
		}})
	}
	return list
}

func (s Stacks) links() bool {
	for _, p := range s.Panels {
		for _, b := range p.Bars {
			if linked(b.Href) && b.Link != "" {
				return true
			}
		}
	}
	return false
}

// about describes the bars in words, for screen readers. With links they also reach the texts themselves.
func (s Stacks) about() string {
	var out strings.Builder
	if s.links() {
		return "Each bar is cut into its parts."
	}
	for _, p := range s.Panels {
		for _, b := range p.Bars {
			if out.Len() > 4000 {
				return out.String() + "…"
			}
			words := filled(p.Title, look{index: b.Index, basis: b.Basis}.named(b.Name), b.Missing, b.Text)
			for _, part := range b.Parts {
				if b.Missing == "" {
					words = append(words, part.Name+" "+part.Text)
				}
			}
			fmt.Fprintf(&out, "%s. %s ", strings.Join(words, ", "), b.Note)
		}
	}
	return orNothing(strings.TrimSpace(out.String()))
}

// lines writes text in lines of a width, at most so many, and returns where they end. What does not fit is
// in the title of the last line.
func (c *canvas) lines(text, class string, x, y, width float64, most int) float64 {
	all := wrapped(clean(text), normal, width)
	for i, line := range all {
		if i == most-1 && len(all) > most {
			last := cut(strings.Join(all[i:], " "), normal, width)
			c.add(`<text class="%s" x="%s" y="%s">%s<title>%s</title></text>`, class, px(x), px(y+stackLine-4), escape(last), escape(text))
			return y + stackLine
		}
		c.text(label{x: x, y: y + stackLine - 4, class: class, size: normal, width: width, text: line})
		y += stackLine
	}
	return y
}

// height returns the height of text in lines of a width.
func (s Stacks) height(text string, width float64) float64 {
	return stackLine * math.Min(float64(len(wrapped(clean(text), normal, width))), mostLines)
}

// wrapped breaks clean text into lines of a width: between words, or within one that is wider.
func wrapped(text string, size, width float64) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if joined := strings.TrimSpace(line + " " + word); textWidth(joined, size) <= width {
			line = joined
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for textWidth(word, size) > width && len(lines) < 100 {
			n := fitting(word, size, width)
			lines, word = append(lines, word[:n]), word[n:]
		}
		line = word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// fitting returns how many bytes of a word fit a width; at least those of one character.
func fitting(word string, size, width float64) int {
	em := 0.0
	for i, r := range word {
		if em += runeEm(r); em*size > width && i > 0 {
			return i
		}
	}
	return len(word)
}
