package verdict

import (
	"math"
	"strconv"
	"strings"

	"plinth/internal/record"
)

// InFactors reports whether an effect is shown as a factor, because per cents would be
// unreadable: +1140 %, -99.7 %.
func InFactors(v record.Verdict) bool {
	return !v.Difference && (max(v.Effect, v.High) > 9 || v.Effect < -0.99)
}

// Digits returns how many decimals, in per cent, the width of the interval justifies: none for a
// wide interval. It returns more if rounding would move an end of the interval across a bound that
// decides the outcome: "0 to 8 %" cannot be called better.
func Digits(v record.Verdict, margin float64) int {
	const most = 3
	d := digitsOf(v)
	if v.Level == 0 {
		return d // no outcome depends on the range
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

// digitsOf returns the number of decimals that the width of an interval justifies.
func digitsOf(v record.Verdict) int {
	width := (v.High - v.Low) * 100
	switch {
	case width < 1e-6 && math.Abs(v.Effect) >= 0.1: // no spread to choose by
		return 0
	case width < 1e-6:
		return 1
	case width < 0.4:
		return 2
	case width < 4:
		return 1
	}
	return 0
}

// sameSide reports whether a share, printed in per cent with d decimals, stays on the
// same side of each of bounds.
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

// Signed formats f like Fixed, with a plus sign if the printed number is positive.
func Signed(f float64, d int) string {
	text := Fixed(f, d)
	if f > 0 && strings.ContainsAny(text, "123456789") {
		return "+" + text
	}
	return text
}

// Fixed formats f with d decimals, and zero as 0, never as -0.
func Fixed(f float64, d int) string {
	text := strconv.FormatFloat(f, 'f', d, 64)
	if !strings.ContainsAny(text, "123456789") {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

// Times formats a ratio with three significant digits; close to 1 with more, so that a
// small difference is not printed as 1.00.
func Times(f float64) string {
	switch {
	case f <= 0:
		return "0"
	case f >= 1000:
		return strconv.FormatFloat(f, 'f', 0, 64)
	case f != 1 && math.Abs(f-1) < 0.005:
		return strconv.FormatFloat(f, 'f', 4, 64)
	}
	return strconv.FormatFloat(f, 'f', max(2-int(math.Floor(math.Log10(f))), 0), 64)
}

// percent formats a share in per cent with two significant digits, never with an
// exponent: 0.051 is "5.1", 1.234 is "123".
func percent(share float64) string {
	p := 100 * share
	if p <= 0 {
		return "0"
	}
	return strconv.FormatFloat(p, 'f', max(1-int(math.Floor(math.Log10(p))), 0), 64)
}

// plainly formats a share in per cent without trailing zeros.
func plainly(share float64) string {
	return strconv.FormatFloat(math.Round(share*1e8)/1e6, 'f', -1, 64)
}
