package report

import (
	"math"
	"strconv"
	"strings"

	"plinth/internal/record"
)

// effect prints the effect of a verdict for people: "+18 %", "-0.4 %", "x 12.4",
// and "+2.1 pp" (percentage points) for a share.
func effect(v record.Verdict, margin float64) string {
	switch {
	case !hasNumber(v):
		return none
	case v.Difference:
		return signed(v.Effect*100, digits(v, margin)) + " pp"
	case inFactors(v):
		return "x " + times(1+v.Effect)
	}
	return signed(v.Effect*100, digits(v, margin)) + " %"
}

// span prints the interval (or the range) of a verdict in the unit of its effect:
// "12 to 25 %". One block has none.
func span(v record.Verdict, margin float64) string {
	switch {
	case !hasNumber(v) || v.N < 2:
		return none
	case !v.Difference && inFactors(v):
		return "x " + times(1+v.Low) + " to " + times(1+v.High)
	}
	d, unit := digits(v, margin), " %"
	if v.Difference {
		unit = " pp"
	}
	return fixed(v.Low*100, d) + " to " + fixed(v.High*100, d) + unit
}

// hasNumber says whether there is a number to show: an invalid comparison has
// none, whatever it holds.
func hasNumber(v record.Verdict) bool {
	if v.Word == record.Unfit || v.N == 0 {
		return false
	}
	for _, f := range []float64{v.A, v.B, v.Effect, v.Low, v.High} {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return false
		}
	}
	return true
}

// inFactors says whether per cents have become unreadable: +1140 %, -99.7 %.
func inFactors(v record.Verdict) bool {
	return max(v.Effect, v.High) > 9 || v.Effect < -0.99
}

// digits is how many decimals of per cent the interval can bear: a wide one
// bears none. It bears more where its ends would else be printed on the other
// side of what the word depends on: "0 to 8 %" cannot be called better.
func digits(v record.Verdict, margin float64) int {
	const most = 3
	width, d := (v.High-v.Low)*100, 0
	switch {
	case width < 1e-6: // no spread to judge by
		if math.Abs(v.Effect) < 0.1 {
			d = 1
		}
	case width < 0.4:
		d = 2
	case width < 4:
		d = 1
	}
	if v.Level == 0 {
		return d // no word depends on a range
	}
	bounds := []float64{0, margin, -margin}
	if !v.Difference {
		bounds[2] = 1/(1+margin) - 1 // the margin is a factor either way
	}
	for d < most && !(sameSide(v.Low, d, bounds) && sameSide(v.High, d, bounds)) {
		d++
	}
	return d
}

// sameSide says whether a share, printed in per cent with d decimals, stays on
// its side of each of bounds.
func sameSide(share float64, d int, bounds []float64) bool {
	const nothing = 1e-9
	step := math.Pow10(d)
	printed := math.Round(share*100*step) / step
	for _, bound := range bounds {
		is, looks := (share-bound)*100, printed-bound*100
		if math.Abs(is) > nothing && (math.Abs(looks) < nothing || (is < 0) != (looks < 0)) {
			return false
		}
	}
	return true
}

// signed is fixed with the sign of what is more than nothing.
func signed(f float64, d int) string {
	text := fixed(f, d)
	if f > 0 && strings.ContainsAny(text, "123456789") {
		return "+" + text
	}
	return text
}

// fixed prints f with d decimals, and nothing as 0, never as -0.
func fixed(f float64, d int) string {
	text := strconv.FormatFloat(f, 'f', d, 64)
	if !strings.ContainsAny(text, "123456789") {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

// times prints a ratio with three significant digits; close to 1 with more, so that
// one on the far side of it does not look like none.
func times(f float64) string {
	switch {
	case f <= 0:
		return "0"
	case f >= 1000:
		return Count(f)
	case f != 1 && math.Abs(f-1) < 0.005:
		return strconv.FormatFloat(f, 'f', 4, 64)
	}
	return strconv.FormatFloat(f, 'f', max(2-int(math.Floor(math.Log10(f))), 0), 64)
}
