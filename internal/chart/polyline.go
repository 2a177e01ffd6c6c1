package chart

import (
	"math"
	"strings"
)

// A dot is a position in px.
type dot struct{ x, y float64 }

// thin removes invisible detail from a line. In each pixel column it keeps only the first, the
// least, the greatest and the last dot; then it removes dots within a third of a pixel of the
// line between their neighbours (Douglas and Peucker, 1973). Unlike averaging, it keeps extremes.
func thin(dots []dot) []dot {
	return simplify(columns(dots), 0.3)
}

func columns(dots []dot) []dot {
	var kept []dot
	for i := 0; i < len(dots); {
		end, least, most := i, i, i
		for ; end < len(dots) && math.Floor(dots[end].x) == math.Floor(dots[i].x); end++ {
			if dots[end].y < dots[least].y {
				least = end
			}
			if dots[end].y > dots[most].y {
				most = end
			}
		}
		last := -1
		for _, k := range []int{i, min(least, most), max(least, most), end - 1} {
			if k != last {
				kept, last = append(kept, dots[k]), k
			}
		}
		i = end
	}
	return kept
}

func simplify(dots []dot, tolerance float64) []dot {
	if len(dots) < 3 {
		return dots
	}
	first, last := dots[0], dots[len(dots)-1]
	far, at := 0.0, 0
	for i, d := range dots[1 : len(dots)-1] {
		if off := offLine(d, first, last); off > far {
			far, at = off, i+1
		}
	}
	if far <= tolerance {
		return []dot{first, last}
	}
	left := simplify(dots[:at+1], tolerance)
	return append(left[:len(left)-1:len(left)-1], simplify(dots[at:], tolerance)...)
}

// offLine returns the distance of d from the line through a and b.
func offLine(d, a, b dot) float64 {
	dx, dy := b.x-a.x, b.y-a.y
	length := math.Hypot(dx, dy)
	if length == 0 {
		return math.Hypot(d.x-a.x, d.y-a.y)
	}
	return math.Abs(dy*(d.x-a.x)-dx*(d.y-a.y)) / length
}

// polyline returns a path through dots.
func polyline(dots []dot) string {
	var b strings.Builder
	for i, d := range dots {
		switch i {
		case 0:
			b.WriteString("M")
		case 1:
			b.WriteString("L")
		default:
			b.WriteString(" ")
		}
		b.WriteString(px(d.x) + " " + px(d.y))
	}
	return b.String()
}

// pieces returns the path of a line interrupted by gaps. A piece of a single dot is drawn as a
// short stroke, because it would otherwise be invisible.
func pieces(dots []dot, gap func(i int) bool) string {
	var b strings.Builder
	for i := 0; i < len(dots); i++ {
		start := i
		for i < len(dots) && !gap(i) {
			i++
		}
		switch {
		case i == start+1:
			d := dots[start]
			b.WriteString(polyline([]dot{{d.x - 0.7, d.y}, {d.x + 0.7, d.y}}))
		case i > start:
			b.WriteString(polyline(thin(dots[start:i])))
		}
	}
	return b.String()
}
