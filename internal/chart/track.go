package chart

import (
	"fmt"
	"slices"
)

// A trackPlan is a Track with its vertical axis. The lines of a stacked track are cumulative
// sums, from the first line up.
type trackPlan struct {
	Track
	y axis
}

func (t Track) plan() trackPlan {
	if t.Stack {
		t.Log = false // areas on a logarithmic axis would mislead
		t.Lines = stacked(t.Lines)
	}
	var s span
	for _, line := range t.Lines {
		s.add(t.Log, line.Values...)
		s.add(t.Log, line.Low...)
		s.add(t.Log, line.High...)
	}
	if t.Log {
		return trackPlan{t, logAxis(s, 3)}
	}
	s.add(false, 0)
	return trackPlan{t, linearAxis(s, 3)}
}

// stacked returns lines as layers on top of one another: Low is the sum of the layers below,
// High and Values include the layer. Missing and negative values add nothing; a second in
// which all values are missing is a gap.
func stacked(lines []Line) []Line {
	n := 0
	for _, line := range lines {
		n = max(n, len(line.Values))
	}
	some, sum := make([]bool, n), make([]float64, n)
	for _, line := range lines {
		for i, v := range line.Values {
			some[i] = some[i] || finite(v)
		}
	}
	layers := make([]Line, len(lines))
	for k, line := range lines {
		low, high := make([]float64, n), make([]float64, n)
		for i := range n {
			low[i] = sum[i]
			if i < len(line.Values) && finite(line.Values[i]) {
				sum[i] += max(0, line.Values[i])
			}
			high[i] = sum[i]
			if !some[i] {
				low[i], high[i] = nan, nan
			}
		}
		layers[k] = Line{Name: line.Name, Values: high, Low: low, High: high}
	}
	return layers
}

// track draws a track at y: its title and legend, its axis, its lines.
func (p timelinePlan) track(c *canvas, t trackPlan, y float64) {
	t.y.from, t.y.to = y+trackHead+trackHeight-12, y+trackHead
	title := clean(t.Title)
	if unit := clean(t.Unit); unit != "" {
		title += ", " + unit
	}
	title = cut(title, normal*boldWidth, timelineWidth/2)
	c.text(label{x: 0, y: y + 14, class: "bold", size: normal, text: title})
	t.legend(c, textWidth(title, normal*boldWidth)+16, y+14)
	upright(c, t.y, p.x.from, p.x.to)
	for i, line := range t.Lines {
		p.line(c, t, look{index: i}, line)
	}
}

// legend draws the names of the lines beside the title of a track, and counts those for which
// there is no space.
func (t trackPlan) legend(c *canvas, x, y float64) {
	for i, line := range t.Lines {
		name := cut(clean(line.Name), small, 160)
		width := 22 + textWidth(name, small) + 12
		if more := len(t.Lines) - i; x+width > timelineWidth-60 && more > 0 {
			c.text(label{x: x, y: y, class: "small muted", size: small, text: fmt.Sprintf("and %d more", more)})
			return
		}
		l := look{index: i}
		c.group(l.colour(), "", func() {
			if t.Stack {
				c.rect("layer", x+4, y-9, 12, 10)
			} else {
				c.line(l.line(), x, y-4, x+17, y-4)
			}
		})
		c.text(label{x: x + 22, y: y, class: "small", size: small, width: 160, text: line.Name})
		x += width
	}
}

func (p timelinePlan) line(c *canvas, t trackPlan, l look, line Line) {
	c.group(l.colour()+" tip", line.Name, func() {
		class := "shade"
		if t.Stack {
			class = "layer"
		}
		c.path(class, p.area(t, line))
		if !t.Stack {
			c.path(l.line(), pieces(p.dots(t, line.Values), p.gap(t, line.Values)))
		}
	})
}

// perValue returns the number of dots for a value: two, at the beginning and the end of its
// time, if that is wide enough to see, else one.
func (p timelinePlan) perValue() int {
	const visible = 3 // px
	if p.x.at(p.Start+p.Step)-p.x.at(p.Start) < visible {
		return 1
	}
	return 2
}

func (p timelinePlan) dots(t trackPlan, values []float64) []dot {
	each := p.perValue()
	dots := make([]dot, 0, each*len(values))
	for i, v := range values {
		for end := range each {
			dots = append(dots, dot{p.x.at(p.Start + float64(i+end)*p.Step), t.y.at(t.y.clamp(v))})
		}
	}
	return dots
}

// gap returns a function that reports whether the value of a dot is missing.
func (p timelinePlan) gap(t trackPlan, values []float64) func(int) bool {
	each := p.perValue()
	return func(i int) bool {
		i /= each
		return i >= len(values) || !finite(values[i]) || t.Log && values[i] <= 0
	}
}

// area returns the band between Low and High, interrupted by gaps.
func (p timelinePlan) area(t trackPlan, line Line) string {
	n := min(len(line.Low), len(line.High))
	low, high := p.dots(t, line.Low[:n]), p.dots(t, line.High[:n])
	noLow, noHigh := p.gap(t, line.Low[:n]), p.gap(t, line.High[:n])
	d := ""
	for i := 0; i < len(low); i++ {
		start := i
		for i < len(low) && !noLow(i) && !noHigh(i) {
			i++
		}
		if i > start {
			d += ring(thin(high[start:i]), thin(low[start:i]))
		}
	}
	return d
}

// ring returns the area between an upper and a lower line.
func ring(high, low []dot) string {
	if len(high) == 1 && len(low) == 1 {
		high = []dot{{high[0].x - 0.7, high[0].y}, {high[0].x + 0.7, high[0].y}}
		low = []dot{{low[0].x - 0.7, low[0].y}, {low[0].x + 0.7, low[0].y}}
	}
	slices.Reverse(low)
	return polyline(append(high, low...)) + "z"
}
