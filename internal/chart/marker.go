package chart

import "fmt"

// A look distinguishes a series by colour, marker and dash: any one of them is enough for eight series. Further ones
// have the colours again, with other markers and dashes.
type look struct {
	index int
	basis Basis
}

func (l look) slot() int { return (l.index%seriesCount + seriesCount) % seriesCount }

// shape returns the index of the marker and of the dash: shifted by one for each round of colours.
func (l look) shape() int {
	return look{index: l.slot() + max(0, l.index)/seriesCount}.slot()
}

func (l look) measured() bool { return l.basis == "" || l.basis == Measured }

// colour returns the class of a group, which sets the colour of its content.
func (l look) colour() string { return fmt.Sprintf("s%d", l.slot()) }

// line returns the class of its line. Unmeasured series are dotted; no measured series is.
func (l look) line() string {
	switch {
	case !l.measured():
		return "line unmeasured"
	case l.shape() == 0:
		return "line"
	}
	return fmt.Sprintf("line d%d", l.shape())
}

// mark returns the class of its markers, which are hollow for unmeasured series.
func (l look) mark() string {
	if l.measured() {
		return "mark"
	}
	return "hollow"
}

// markers holds paths around 0 0, about 7 px wide: circle, square, triangle, diamond,
// downward triangle, pentagon, upright bar, four-pointed star.
var markers = [seriesCount]string{
	"m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z",
	"m-3.1-3.1h6.2v6.2h-6.2z",
	"m0-4.2l4 7h-8z",
	"m0-4.6l4.2 4.6l-4.2 4.6l-4.2-4.6z",
	"m0 4.2l4-7h-8z",
	"m0-4l3.9 2.8l-1.5 4.5h-4.8l-1.5-4.5z",
	"m-1.7-4.2h3.4v8.4h-3.4z",
	"m0-4.8l1.4 3.4l3.4 1.4l-3.4 1.4l-1.4 3.4l-1.4-3.4l-3.4-1.4l3.4-1.4z",
}

// path returns the path of a marker at a position.
func (l look) path(x, y float64) string { return "M" + px(x) + " " + px(y) + markers[l.shape()] }

// cross returns the path of the marker for an invalid or failed run.
func cross(x, y float64) string {
	return "M" + px(x) + " " + px(y) + "m-3.5-3.5l7 7m-7 0l7-7"
}

// named returns the name of a series, followed by its basis if it was not measured.
func (l look) named(name string) string {
	if l.measured() {
		return name
	}
	return name + " (" + string(l.basis) + ")"
}
