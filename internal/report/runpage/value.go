package runpage

import (
	"encoding/json"

	"plinth/internal/report/phrase"
)

// number is a value in JSON, which has no NaN: an unknown value is null.
type number float64

// MarshalJSON writes null for a gap.
func (n number) MarshalJSON() ([]byte, error) {
	if !phrase.Known(float64(n)) {
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
