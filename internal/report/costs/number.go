package costs

import (
	"fmt"
	"strconv"

	"plinth/internal/cost"
	"plinth/internal/price"
	"plinth/internal/report/phrase"
	"plinth/internal/unit"
)

func amount(a price.Amount) string {
	if !a.Known() {
		return phrase.None
	}
	return unit.Grouped(float64(a), 2)
}

func hourly(a price.Amount) string {
	if !a.Known() {
		return phrase.None
	}
	return strconv.FormatFloat(float64(a), 'f', 3, 64)
}

func unitPrice(a price.Amount) string {
	if !a.Known() {
		return phrase.None
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(float64(a), 'g', 6, 64), 64) // a discount leaves errors of rounding
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

func quantity(f float64) string {
	if f == 0 {
		return phrase.None
	}
	return phrase.Count(f)
}

func small(r cost.Range) string {
	if !r.Known() {
		return phrase.None
	}
	return price.Amount(r.Value).String()
}

func short(r cost.Range) string {
	if !r.Known() {
		return phrase.None
	}
	return phrase.Fine(r.Value)
}

func milliseconds(r cost.Range) string {
	if !r.Known() {
		return phrase.None
	}
	return phrase.Fine(r.Value / 1e6)
}

// span formats an interval; a range of too few blocks has its number of blocks instead of a level.
func span(r cost.Range) string {
	if !r.Known() {
		return phrase.None
	}
	if r.N == 1 {
		return "one block"
	}
	text := price.Amount(r.Low).String() + " to " + price.Amount(r.High).String()
	if r.Level == 0 {
		text += fmt.Sprintf(" (n=%d)", r.N)
	}
	return text
}

func interval(r cost.Range, currency string) string {
	if r.N == 1 {
		return "one block"
	}
	text := price.Amount(r.Low).In(currency) + " to " + price.Amount(r.High).In(currency)
	if r.Level == 0 {
		return "range of " + unit.Count(r.N, "block") + ": " + text
	}
	return text
}
