package chart

import (
	"math"
	"slices"
)

// null returns the value that means no effect.
func (f Forest) null() float64 {
	if f.ratio() {
		return 1
	}
	return 0
}

func (f Forest) ratio() bool { return f.Unit == "x" }

// margins returns the ends of the band within which differences do not matter; ok is false
// without a margin.
func (f Forest) margins() (low, high float64, ok bool) {
	m := f.Margin
	if !finite(m) || m <= 0 {
		return f.null(), f.null(), false
	}
	switch f.Unit { // of a ratio, the margin is a factor either way, as in verdicts
	case "x":
		return 1 / (1 + m), 1 + m, true
	case "%":
		return 100 * (1/(1+m/100) - 1), m, true
	}
	return f.null() - m, f.null() + m, true
}

// drawn reports whether a row has a mark.
func (f Forest) drawn(r ForestRow) bool {
	return r.Missing == "" && finite(r.Effect) && (!f.ratio() || r.Effect > 0)
}

// far returns the distance of a value from no effect, of logarithms if ratios are drawn.
func (f Forest) far(v float64) float64 {
	if f.ratio() {
		v = math.Log(v)
	}
	return math.Abs(v)
}

// outOfProportion is how many times as far out as most rows a value may be and still be on the
// axis: beyond it, most rows would occupy a tenth of the picture.
const outOfProportion = 10

// limit returns how far from no effect a value may be to be on the axis, based on the upper
// quartile of the rows' distances; with four rows or fewer that is the greatest distance.
func (f Forest) limit() float64 {
	var reaches []float64
	for _, r := range f.Rows {
		if !f.drawn(r) {
			continue
		}
		reach := f.far(r.Effect) // distance of the row's farthest finite end
		for _, v := range []float64{r.Low, r.High} {
			if d := f.far(v); finite(d) {
				reach = max(reach, d)
			}
		}
		reaches = append(reaches, reach)
	}
	if len(reaches) == 0 {
		return 0
	}
	slices.Sort(reaches)
	low, high, _ := f.margins()
	typical := max(reaches[len(reaches)*3/4], f.far(low), f.far(high))
	return typical * outOfProportion
}

// axis covers no effect, the margin, and every value within the limit.
func (f Forest) axis() axis {
	low, high, _ := f.margins()
	s := span{lo: min(low, f.null()), hi: max(high, f.null()), some: true}
	limit := f.limit()
	for _, r := range f.Rows {
		if !f.drawn(r) {
			continue
		}
		for _, v := range []float64{r.Effect, r.Low, r.High} {
			if f.far(v) <= limit {
				s.add(f.ratio(), v)
			}
		}
	}
	if f.ratio() {
		return ratioAxis(s)
	}
	return effectAxis(s)
}

func effectAxis(s span) axis {
	if s.lo == s.hi {
		s.lo, s.hi = s.lo-1, s.hi+1
	}
	pad := max((s.hi-s.lo)*0.06, 1e-9)
	a := axis{lo: s.lo - pad, hi: s.hi + pad}
	a.ticks = signed(linearTicks(a.lo, a.hi, 7))
	return a
}

func ratioAxis(s span) axis {
	if s.lo == s.hi {
		s.lo, s.hi = s.lo/1.1, s.hi*1.1
	}
	pad := math.Pow(s.hi/s.lo, 0.06)
	a := axis{lo: s.lo / pad, hi: s.hi * pad, log: true}
	a.ticks = ratioTicks(a.lo, a.hi)
	return a
}

// cutRows counts the rows that extend beyond the axis.
func (f Forest) cutRows(a axis) int {
	n := 0
	for _, r := range f.Rows {
		if f.drawn(r) && (r.Effect < a.lo || r.Effect > a.hi || r.Low < a.lo || r.High > a.hi) {
			n++
		}
	}
	return n
}
