package cost

import (
	"encoding/json"
	"math"
	"slices"

	"plinth/internal/stats"
)

// Range is a number with its interval over the blocks of a record.
type Range struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	// Level is 0.95, or 0 if there are too few blocks for an interval: then Low and High are their range.
	Level float64 `json:"level"`
	N     int     `json:"n"` // blocks
}

// rangeOf returns the geometric mean of the values of blocks, with its interval. Values must be positive.
func rangeOf(values []float64, seed uint64) Range {
	if len(values) == 0 || slices.Min(values) <= 0 {
		return Range{}
	}
	logs := make([]float64, len(values))
	for i, v := range values {
		logs[i] = math.Log(v)
	}
	r := Range{Low: slices.Min(values), High: slices.Max(values), N: len(values)}
	test, err := stats.Paired(logs, seed)
	if err != nil {
		return Range{}
	}
	r.Value = math.Exp(test.Mean())
	if low, high, ok := test.Interval(0.05); ok {
		r.Low, r.High, r.Level = math.Exp(low), math.Exp(high), 0.95
	}
	return r
}

// MarshalJSON writes null for a number that is not known, as for a price: a zero would be the least of
// all numbers.
func (r Range) MarshalJSON() ([]byte, error) {
	if !r.Known() {
		return []byte("null"), nil
	}
	type fields Range
	return json.Marshal(fields(r))
}

// Known reports whether there is a value.
func (r Range) Known() bool { return r.N > 0 && !math.IsNaN(r.Value) }

// times returns the range of a quantity that is proportional.
func (r Range) times(factor float64) Range {
	r.Value, r.Low, r.High = r.Value*factor, r.Low*factor, r.High*factor
	return r
}

// under returns the range of a number divided by the quantity.
func (r Range) under(number float64) Range {
	r.Value, r.Low, r.High = number/r.Value, number/r.High, number/r.Low
	return r
}
