package unit

import (
	"math"
	"strconv"
)

// Digits formats a number with at most n significant digits, and never with an exponent: 0.0123, 4.57, 16400.
func Digits(f float64, n int) string {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'g', n, 64), 64) // a number that was just formatted
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// Rounded rounds a positive number to three significant digits, and to a whole number: more digits
// of a measurement are noise. It returns 0 for what is not positive.
func Rounded(f float64) float64 {
	if f <= 0 {
		return 0
	}
	scale := math.Pow(10, math.Floor(math.Log10(f))-2)
	return math.Round(math.Round(f/scale) * scale)
}
