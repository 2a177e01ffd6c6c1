package report

import (
	"encoding/json"
	"math"
	"strconv"
)

// quantity prints a value in the unit of a figure, a column or a resource.
func quantity(f float64, unit string, isShare bool) string {
	switch {
	case !known(f):
		return none
	case math.Abs(f) >= 1e15: // no run has that: a record from a stranger
		return strconv.FormatFloat(f, 'g', 3, 64)
	case isShare:
		return share(f)
	}
	switch unit {
	case "ns":
		return Milliseconds(f)
	case "s":
		return seconds(f)
	case "bytes":
		return bytes(int64(f))
	case "bytes/s":
		return bytes(int64(f)) + "/s"
	case "1/s":
		return fine(f) + "/s"
	case "", "1":
		return fine(f)
	}
	return fine(f) + " " + unit
}

// fine prints a number with two decimals where it is small; what they cannot show is
// not nothing.
func fine(f float64) string {
	if f > 0 && f < 0.005 {
		return "under 0.01"
	}
	if math.Abs(f) < 10 && f != math.Trunc(f) {
		return strconv.FormatFloat(f, 'f', 2, 64)
	}
	return Count(f)
}

// short prints a value that is not negative in at most five characters: 0.04, 4.1,
// 8,500, 15k, 1.2M.
func short(f float64) string {
	switch {
	case f < 10 && f == math.Trunc(f):
		return strconv.FormatFloat(f, 'f', 0, 64)
	case f < 0.005:
		return "<0.01"
	case f < 0.095:
		return strconv.FormatFloat(f, 'f', 2, 64)
	case f < 9.95:
		return strconv.FormatFloat(f, 'f', 1, 64)
	case f < 9999.5:
		return Count(math.Round(f))
	}
	for _, suffix := range []string{"k", "M", "G", "T"} {
		f /= 1000
		if f < 9.95 {
			return strconv.FormatFloat(f, 'f', 1, 64) + suffix
		}
		if f < 999.5 {
			return strconv.FormatFloat(f, 'f', 0, 64) + suffix
		}
	}
	return strconv.FormatFloat(f, 'g', 1, 64)
}

// number is a value in JSON, which has no NaN: what is not known is null.
type number float64

// MarshalJSON writes null for a gap.
func (n number) MarshalJSON() ([]byte, error) {
	if !known(float64(n)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

func numbersOf(values []float64) []number {
	all := make([]number, len(values))
	for i, v := range values {
		all[i] = number(v)
	}
	return all
}

// gapUnless is v where it is known.
func gapUnless(isKnown bool, v float64) float64 {
	if isKnown {
		return v
	}
	return math.NaN()
}
