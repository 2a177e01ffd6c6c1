package page

import (
	"math"
	"strconv"
)

// Number is a value for a chart. It is written with four digits, enough for any chart; NaN is a
// gap (null).
type Number float64

// MarshalJSON writes at most four significant digits.
func (n Number) MarshalJSON() ([]byte, error) {
	f := float64(n)
	size := math.Abs(f)
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return []byte("null"), nil
	case size < 1e4 && f == math.Trunc(f): // the most common case; ten times as fast
		return strconv.AppendInt(nil, int64(f), 10), nil
	case size >= 1e-4 && size < 9999.5:
		return strconv.AppendFloat(nil, f, 'g', digits, 64), nil
	}
	// 'g' with four digits would write an exponent for numbers such as 12340.
	if less, err := strconv.ParseFloat(strconv.FormatFloat(f, 'g', digits, 64), 64); err == nil {
		f = less
	}
	format := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e15) {
		format = 'e'
	}
	return strconv.AppendFloat(nil, f, format, -1, 64), nil
}

const digits = 4
