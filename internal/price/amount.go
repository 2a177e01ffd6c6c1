package price

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"

	"plinth/internal/unit"
)

// Amount is an amount of money in the currency of a book. An unknown amount is NaN, never zero, and
// null in JSON.
type Amount float64

// Unknown is an amount that is not known.
var Unknown = Amount(math.NaN())

// Known reports whether an amount is known.
func (a Amount) Known() bool { return !math.IsNaN(float64(a)) }

// largest is more than any price: beyond it, sums lose their cents.
const largest = 1e12

// UnmarshalText reads a price: a number that is not negative, or "unknown".
func (a *Amount) UnmarshalText(text []byte) error {
	if string(text) == "unknown" {
		*a = Unknown
		return nil
	}
	f, err := strconv.ParseFloat(string(text), 64)
	switch {
	case err != nil || math.IsNaN(f):
		return errors.New(strconv.Quote(string(text)) + " is not a price: write a number, or unknown")
	case f < 0:
		return errors.New(strconv.Quote(string(text)) + " is negative")
	case f > largest:
		return errors.New(strconv.Quote(string(text)) + " is too large")
	}
	*a = Amount(f)
	return nil
}

// String formats an amount: two decimals, or three significant digits below one; "unknown".
func (a Amount) String() string {
	f := float64(a)
	switch size := math.Abs(f); {
	case !a.Known():
		return "unknown"
	case size == 0 || size >= 1:
		return unit.Grouped(f, 2)
	case size >= 0.01:
		return strconv.FormatFloat(f, 'f', 3, 64)
	}
	return strconv.FormatFloat(f, 'f', min(12, int(math.Ceil(-math.Log10(math.Abs(f))))+2), 64)
}

// In formats an amount with its currency: "$249.04", "12.00 EUR".
func (a Amount) In(currency string) string {
	text, negative := strings.CutPrefix(a.String(), "-")
	switch {
	case !a.Known() || currency != "USD":
		return strings.TrimSpace(a.String() + map[bool]string{true: " " + currency}[a.Known()])
	case negative:
		return "-$" + text
	}
	return "$" + text
}

// Dollars formats a sum of dollars to the cent, as on a bill: "$0.80". String has more digits for small amounts, which
// are prices of a unit.
func Dollars(usd float64) string { return "$" + unit.Grouped(usd, 2) }

// MarshalText is the opposite of UnmarshalText.
func (a Amount) MarshalText() ([]byte, error) {
	if !a.Known() {
		return []byte("unknown"), nil
	}
	return strconv.AppendFloat(nil, float64(a), 'f', -1, 64), nil
}

// MarshalJSON returns a number, or null.
func (a Amount) MarshalJSON() ([]byte, error) {
	if !a.Known() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(a))
}
