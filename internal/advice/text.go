package advice

import (
	"strconv"
	"strings"

	"plinth/internal/price"
	"plinth/internal/unit"
)

// join lists names: "a, b and c".
func join(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// money formats an amount in the currency of the bills.
func (s *study) money(a price.Amount) string {
	if !a.Known() {
		return "an unknown amount"
	}
	return a.In(s.sheet.Currency)
}

// count formats a number without decimals: 16,000.
func count(f float64) string { return unit.Grouped(f, 0) }

// milliseconds formats nanoseconds.
func milliseconds(ns float64) string { return strconv.FormatFloat(ns/1e6, 'g', 3, 64) }
