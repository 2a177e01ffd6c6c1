package page

import (
	"math"
	"strconv"
)

// Number is a value for a picture: four digits are more than a pixel can show, and
// NaN is a gap (null).
type Number float64

// MarshalJSON writes at most four significant digits.
func (n Number) MarshalJSON() ([]byte, error) {
	f := float64(n)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	text := strconv.FormatFloat(f, 'g', 4, 64)
	if rounded, err := strconv.ParseFloat(text, 64); err == nil {
		f = rounded
	}
	format := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e15) {
		format = 'e'
	}
	return strconv.AppendFloat(nil, f, format, -1, 64), nil
}
