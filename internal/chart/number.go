package chart

import (
	"math"
	"strconv"
	"strings"
)

// decimals returns the number of decimals needed to print multiples of step.
func decimals(step float64) int {
	d := 0
	for ; d < 9; d++ {
		if scaled := step * math.Pow10(d); math.Abs(scaled-math.Round(scaled)) < 1e-6*math.Abs(scaled) {
			break
		}
	}
	return d
}

// number formats a number with the given decimals and thousands separators; very large and
// very small ones are written like 1e+15.
func number(v float64, decimals int) string {
	if a := math.Abs(v); a >= 1e12 || a > 0 && a < 1e-6 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	s := strconv.FormatFloat(math.Abs(v), 'f', decimals, 64)
	whole, rest, _ := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if rest != "" {
		whole += "." + rest
	}
	if v < 0 && strings.Trim(s, "0.") != "" {
		return "-" + whole
	}
	return whole
}

// short formats a single number with three significant digits.
func short(v float64) string {
	if v == 0 || !finite(v) {
		return "0"
	}
	return number(v, max(0, 2-int(math.Floor(math.Log10(math.Abs(v))))))
}

// plain formats a single number with as many decimals as it has: 0.5, 2, 1,000.
func plain(v float64) string { return number(v, decimals(v)) }

// nan marks a gap.
var nan = math.NaN()

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
