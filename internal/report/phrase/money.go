package phrase

import (
	"math"
	"strconv"
	"strings"
)

// Money formats an amount of money: two decimals, or three significant digits below one.
func Money(f float64) string {
	switch size := math.Abs(f); {
	case math.IsNaN(f):
		return None
	case size == 0 || size >= 1:
		return Cents(f)
	case size >= 0.01:
		return strconv.FormatFloat(f, 'f', 3, 64)
	}
	return strconv.FormatFloat(f, 'f', min(12, int(math.Ceil(-math.Log10(math.Abs(f))))+2), 64)
}

// Cents formats an amount of money with two decimals and separators.
func Cents(f float64) string {
	text := strconv.FormatFloat(math.Abs(f), 'f', 2, 64)
	whole, cents, _ := strings.Cut(text, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if f < 0 && text != "0.00" {
		whole = "-" + whole
	}
	return whole + "." + cents
}
