package chart

import "math"

// An axis maps values to pixels.
type axis struct {
	lo, hi   float64 // values at the ends
	from, to float64 // px at the ends
	log      bool
	ticks    []tick
}

// at returns the position of a value. A value that cannot be drawn, such as zero on a
// logarithmic axis, is placed at the low end: callers check has first.
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

// has reports whether a value lies on the axis.
func (a axis) has(v float64) bool {
	return finite(v) && v >= a.lo && v <= a.hi
}

// clamp limits v to the range of the axis.
func (a axis) clamp(v float64) float64 { return min(max(v, a.lo), a.hi) }

// A span is the range of values that an axis must cover.
type span struct {
	lo, hi float64
	some   bool
}

// add widens a span. It ignores values that are not finite and, if positive is set, values
// that are not above zero.
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

// linearAxis covers a span and ends at round numbers. It begins at zero if the least value is
// less than half of the greatest, so that heights can be compared; values that are close
// together fill the axis instead.
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

// logAxis covers a span of positive numbers and ends at 1, 2 or 5 times a power of ten.
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

// below returns the greatest of 1, 2 and 5 times a power of ten that does not exceed v.
func below(v float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(v)+1e-9))
	for _, m := range []float64{5, 2} {
		if m*unit <= v*(1+1e-9) {
			return m * unit
		}
	}
	return unit
}

// above returns the least of 1, 2 and 5 times a power of ten that is not less than v.
func above(v float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(v)+1e-9))
	for _, m := range []float64{1, 2, 5} {
		if m*unit >= v*(1-1e-9) {
			return m * unit
		}
	}
	return 10 * unit
}

// fit returns the ticks of a horizontal axis without those whose labels would overlap the
// previous one. The first is always kept.
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
