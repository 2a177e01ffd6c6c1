package advice

import (
	"strconv"
	"strings"

	"plinth/internal/price"
)

// join lists names: "a, b and c".
func join(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// cents formats an amount in the currency of the bills.
func cents(a price.Amount) string {
	if !a.Known() {
		return "an unknown amount"
	}
	return number(float64(a))
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) }

// milliseconds formats nanoseconds.
func milliseconds(ns float64) string { return strconv.FormatFloat(ns/1e6, 'g', 3, 64) }
