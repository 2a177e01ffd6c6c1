package unit

import "math"

// Rounded rounds a positive number to three significant digits, and to a whole number: more digits
// of a measurement are noise. It returns 0 for what is not positive.
func Rounded(f float64) float64 {
	if f <= 0 {
		return 0
	}
	scale := math.Pow(10, math.Floor(math.Log10(f))-2)
	return math.Round(math.Round(f/scale) * scale)
}
