package unit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Share is a part of a whole, written in per cent: "3%" is 0.03.
type Share float64

// ParseShare parses a share with its per cent sign, 0% to 100%. A number without the sign is an error,
// because 0.03 is ambiguous.
func ParseShare(s string) (Share, error) {
	if isBareNumber(s) {
		return 0, fmt.Errorf("%q has no unit: write %s%%", s, s)
	}
	number, found := strings.CutSuffix(s, "%")
	percent, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	switch {
	case err != nil || !found || math.IsNaN(percent):
		return 0, fmt.Errorf("%q is not a share such as 3%%", s)
	case percent < 0:
		return 0, fmt.Errorf("%q is negative", s)
	case percent > 100:
		return 0, fmt.Errorf("%q is more than 100%%", s)
	}
	return Share(math.Round(percent*1e6) / 1e8), nil // so that 0.9% is 0.009 exactly
}

// String returns s so that ParseShare can read it: "3%", "0.5%".
func (s Share) String() string {
	return strconv.FormatFloat(math.Round(float64(s)*1e8)/1e6, 'f', -1, 64) + "%"
}
