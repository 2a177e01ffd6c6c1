package chart

import (
	"math"
	"strconv"
	"strings"
)

// decimals is how many decimals numbers need that are step apart.
func decimals(step float64) int {
	d := 0
	for ; d < 9; d++ {
		if scaled := step * math.Pow10(d); math.Abs(scaled-math.Round(scaled)) < 1e-6*math.Abs(scaled) {
			break
		}
	}
	return d
}

// number prints a number of an axis with so many decimals and thousands
// separators; what is very great or very small is written 1e+15.
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

// short prints a number by itself, with three significant digits.
func short(v float64) string {
	if v == 0 || !finite(v) {
		return "0"
	}
	return number(v, max(0, 2-int(math.Floor(math.Log10(math.Abs(v))))))
}

// plain prints a number by itself with the decimals that it has: 0.5, 2, 1,000.
func plain(v float64) string { return number(v, decimals(v)) }

// nan is a gap.
var nan = math.NaN()

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
