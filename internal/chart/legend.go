package chart

const (
	swatchWidth = 34.0
	legendLine  = 18.0
)

// An entry is one name of a legend and the swatch before it.
type entry struct {
	name  string
	width float64 // of the swatch
	draw  func(c *canvas, x, y float64)
}

// seriesEntry returns the entry of a series: a piece of its line with its marker.
func seriesEntry(name string, l look) entry {
	return entry{l.named(name), swatchWidth, func(c *canvas, x, y float64) {
		c.group(l.colour(), "", func() {
			c.line(l.line(), x, y, x+swatchWidth-4, y)
			c.path(l.mark(), l.path(x+swatchWidth/2-2, y))
		})
	}}
}

// legend draws entries from left to right, with line breaks, and returns its height. If c is
// nil it only measures.
func legend(c *canvas, entries []entry, x, y, width float64) float64 {
	if len(entries) == 0 {
		return 0
	}
	left, line := x, 0.0
	for _, e := range entries {
		name := cut(clean(e.name), normal, min(width-e.width-4, 260))
		used := e.width + textWidth(name, normal) + 14
		if left > x && left+used-14 > x+width {
			left, line = x, line+1
		}
		if c != nil {
			top := y + line*legendLine
			e.draw(c, left, top+9)
			c.text(label{x: left + e.width, y: top + 13, size: normal, width: min(width-e.width-4, 260), text: e.name})
		}
		left += used
	}
	return (line + 1) * legendLine
}
