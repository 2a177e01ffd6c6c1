package chart

import "math"

// axis maps values to px.
type axis struct {
	lo, hi   float64 // values at its ends
	from, to float64 // px at its ends
	log      bool
	ticks    []tick
}

// at is where a value stands. What cannot be drawn, such as zero on a logarithmic
// axis, stands at the low end: callers ask has first.
func (a axis) at(v float64) float64 {
	lo, hi := a.lo, a.hi
	if a.log {
		lo, hi, v = math.Log(lo), math.Log(hi), math.Log(v)
	}
	if share := v/(hi-lo) - lo/(hi-lo); finite(share) {
		return a.from + (a.to-a.from)*share
	}
	return a.from
}

// has says whether a value has a place on the axis.
func (a axis) has(v float64) bool {
	return finite(v) && v >= a.lo && v <= a.hi
}

// clamp is v, or the end of the axis that it lies beyond.
func (a axis) clamp(v float64) float64 { return min(max(v, a.lo), a.hi) }

// span is the least and the greatest of what an axis must hold.
type span struct {
	lo, hi float64
	some   bool
}

// add widens a span. What is not finite, and what is not above zero where positive
// is asked, is left out.
func (s *span) add(positive bool, values ...float64) {
	for _, v := range values {
		if math.Abs(v) < 1e-300 {
			v = 0
		}
		switch {
		case !finite(v) || math.Abs(v) > 1e300 || positive && v <= 0:
		case !s.some:
			s.lo, s.hi, s.some = v, v, true
		default:
			s.lo, s.hi = min(s.lo, v), max(s.hi, v)
		}
	}
}

// linearAxis holds a span, with round ends. It begins at zero when the least value
// is less than half of the greatest, so that heights can be compared; values that
// are close together fill the axis instead.
func linearAxis(s span, n int) axis {
	if !s.some {
		s = span{lo: 0, hi: 1}
	}
	if s.lo >= 0 && s.lo < s.hi/2 {
		s.lo = 0
	}
	if s.hi-s.lo <= 1e-9*math.Abs(s.hi) {
		pad := math.Max(math.Abs(s.hi)*0.05, 1e-9)
		s.lo, s.hi = s.lo-pad, s.hi+pad
	}
	step := niceStep(s.hi-s.lo, n)
	a := axis{lo: math.Floor(s.lo/step+1e-6) * step, hi: math.Ceil(s.hi/step-1e-6) * step}
	a.ticks = linearTicks(a.lo, a.hi, n)
	return a
}

// logAxis holds a span of numbers above zero, with ends at 1, 2 or 5 times a power
// of ten.
func logAxis(s span, n int) axis {
	if !s.some {
		s = span{lo: 1, hi: 10}
	}
	if s.hi/s.lo < 1.1 {
		s.lo, s.hi = s.lo/1.1, s.hi*1.1
	}
	a := axis{log: true, lo: below(s.lo), hi: above(s.hi)}
	a.ticks = logTicks(a.lo, a.hi, n)
	return a
}

// below is the greatest of 1, 2 and 5 times a power of ten that is not above v.
func below(v float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(v)+1e-9))
	for _, m := range []float64{5, 2} {
		if m*unit <= v*(1+1e-9) {
			return m * unit
		}
	}
	return unit
}

// above is the least of 1, 2 and 5 times a power of ten that is not below v.
func above(v float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(v)+1e-9))
	for _, m := range []float64{1, 2, 5} {
		if m*unit >= v*(1-1e-9) {
			return m * unit
		}
	}
	return 10 * unit
}

// fit leaves out ticks whose labels would touch each other along a horizontal axis.
// The first is kept, and those that follow at a distance.
func (a axis) fit() []tick {
	var kept []tick
	end := math.Inf(-1)
	for _, t := range a.ticks {
		half := textWidth(t.label, small) / 2
		if x := a.at(t.value); x-half >= end+4 {
			kept = append(kept, t)
			end = x + half
		}
	}
	return kept
}
