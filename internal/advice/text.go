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

// money formats an amount in the currency of the bills.
func (s *study) money(a price.Amount) string {
	if !a.Known() {
		return "an unknown amount"
	}
	text := separated(strconv.FormatFloat(float64(a), 'f', 2, 64))
	if s.sheet.Currency == "USD" {
		return "$" + text
	}
	return text + " " + s.sheet.Currency
}

// count formats a number without decimals: 16,000.
func count(f float64) string { return separated(strconv.FormatFloat(f, 'f', 0, 64)) }

// separated separates thousands.
func separated(number string) string {
	whole, decimals, found := strings.Cut(number, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if found {
		return whole + "." + decimals
	}
	return whole
}

// milliseconds formats nanoseconds.
func milliseconds(ns float64) string { return strconv.FormatFloat(ns/1e6, 'g', 3, 64) }
