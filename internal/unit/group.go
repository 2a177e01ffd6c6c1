package unit

import (
	"strconv"
	"strings"
)

// Grouped formats a number with a number of decimals, or the fewest that are exact if it is negative, and
// with separators of thousands: 1,677.25.
func Grouped(f float64, decimals int) string {
	text, negative := strings.CutPrefix(strconv.FormatFloat(f, 'f', decimals, 64), "-")
	whole, fraction, found := strings.Cut(text, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if found {
		whole += "." + fraction
	}
	if negative && strings.Trim(text, "0.") != "" {
		return "-" + whole
	}
	return whole
}
