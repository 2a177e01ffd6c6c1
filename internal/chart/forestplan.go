package chart

import "math"

const (
	forestRow    = 26.0 // height of a row with its label beside the axis
	forestNarrow = 62.0 // height of a row with its label above the mark
	forestGroup  = 28.0
	narrowBelow  = 520
)

// A forestPlan is the layout of a Forest.
type forestPlan struct {
	Forest
	axis          axis
	narrow        bool
	labels, words float64 // right end of the labels, left end of the numbers
	verdicts      float64 // left end of the verdicts
	textEnd       float64 // right end of the numbers
}

func newForestPlan(f Forest) forestPlan {
	p := forestPlan{Forest: f, axis: f.axis(), narrow: f.Width < narrowBelow}
	width := float64(f.Width)
	p.axis.from, p.axis.to, p.textEnd = 10, width-10, width
	if p.narrow {
		return p
	}
	label, text, word := 0.0, 0.0, 0.0
	for _, r := range f.Rows {
		label = max(label, textWidth(clean(r.Label), normal*boldWidth)+textWidth(clean(r.detail()), small)+8)
		text = max(text, textWidth(clean(r.Text), small))
		word = max(word, textWidth(clean(r.Word), normal*boldWidth))
	}
	p.labels = min(label, width*0.34)
	p.verdicts = width - min(word, 120)
	p.words = p.verdicts - gapIf(word) - min(text, width*0.3)
	p.textEnd = p.verdicts - gapIf(word)
	p.axis.from, p.axis.to = p.labels+16, p.words-gapIf(text)-4
	return p
}

// gapIf returns the gap between two columns, or 0 if the second is empty.
func gapIf(width float64) float64 {
	if width == 0 {
		return 0
	}
	return 12
}

// head draws the meaning of both sides and the size of the margin. It returns the y at which
// the rows begin.
func (p forestPlan) head(c *canvas) float64 {
	y := 0.0
	less, more := "", ""
	if p.Less != "" {
		less = "← " + clean(p.Less)
	}
	if p.More != "" {
		more = clean(p.More) + " →"
	}
	left, right := p.ends()
	room := right - left
	switch together := textWidth(less, normal) + textWidth(more, normal) + 24; {
	case less == "" && more == "":
	case together <= room:
		p.side(c, less, left, y+14, room, "")
		p.side(c, more, right, y+14, room, " end")
		y += 20
	default:
		p.side(c, less, left, y+14, room, "")
		p.side(c, more, right, y+30, room, " end")
		y += 36
	}
	if low, high, ok := p.margins(); ok {
		text := "margin: " + plain(p.Margin) + " " + clean(p.Unit) + " either way"
		if p.ratio() {
			text = "margin: x" + plain(math.Round(low*1e4)/1e4) + " to x" + plain(math.Round(high*1e4)/1e4)
		}
		half := textWidth(text, small) / 2
		x := min(max(p.axis.at(p.null()), left+half), right-half)
		c.text(label{x: x, y: y + 12, class: "small muted middle", size: small, text: text})
		y += 17
	}
	return y + 2
}

// ends returns the ends of the text above the axis, which is wider than a short axis.
func (p forestPlan) ends() (left, right float64) {
	if p.axis.to-p.axis.from >= 320 {
		return p.axis.from, p.axis.to
	}
	return max(0, p.axis.from-80), min(float64(p.Width), p.axis.to+80)
}

func (p forestPlan) side(c *canvas, text string, x, y, room float64, class string) {
	c.text(label{x: x, y: y, class: "muted" + class, size: normal, width: room, text: text})
}

func (p forestPlan) rowHeight() float64 {
	if p.narrow {
		return forestNarrow
	}
	return forestRow
}

// ground draws the band and the line of no effect behind the marks of all rows, but not behind
// text.
func (p forestPlan) ground(c *canvas, y float64) {
	low, high, ok := p.margins()
	left, right, null := px(p.axis.at(p.axis.clamp(low))), px(p.axis.at(p.axis.clamp(high))), px(p.axis.at(p.null()))
	band, edge, line := "", "", ""
	for i, r := range p.Rows {
		gap := 0.0
		if p.heads(i) {
			gap = forestGroup
		}
		y += gap
		if r.Missing == "" {
			top, bottom := y, y+forestRow
			if p.narrow {
				top, bottom = y+37, y+59 // the area of the mark
			} else if textWidth(clean(r.Group), normal*boldWidth) < p.axis.from { // the heading does not reach the band
				top -= gap
			}
			band += "M" + left + " " + px(top) + "H" + right + "V" + px(bottom) + "H" + left + "z"
			for _, x := range []string{left, right} {
				edge += "M" + x + " " + px(top) + "V" + px(bottom)
			}
			line += "M" + null + " " + px(top) + "V" + px(bottom)
		}
		y += p.rowHeight()
	}
	if ok {
		c.path("band", band)
		c.path("edge", edge)
	}
	c.path("null", line)
}

// foot draws the axis, its title, and the number of rows that extend beyond it. It returns the
// height of the picture.
func (p forestPlan) foot(c *canvas, y float64) float64 {
	level(c, p.axis, y)
	c.text(label{x: (p.axis.from + p.axis.to) / 2, y: y + 32, class: "small muted middle", size: small, text: p.axisTitle()})
	n := p.cutRows(p.axis)
	if n == 0 {
		return y + 38
	}
	text := number(float64(n), 0) + " rows reach beyond the axis (arrows)"
	if n == 1 {
		text = "1 row reaches beyond the axis (arrow)"
	}
	c.text(label{x: (p.axis.from + p.axis.to) / 2, y: y + 47, class: "small muted middle", size: small, text: text})
	return y + 53
}

func (p forestPlan) axisTitle() string {
	switch p.Unit {
	case "x":
		return "ratio (logarithmic)"
	case "":
		return "effect"
	case "pp":
		return "effect, percentage points"
	}
	return "effect, " + clean(p.Unit)
}
