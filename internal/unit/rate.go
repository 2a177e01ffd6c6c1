package unit

import (
	"fmt"
	"math"
	"strings"
)

// Rate is a throughput in bytes per second.
type Rate float64

// ParseRate parses a rate with its unit, a size followed by "/s": 125MiB/s or 1GB/s. A number without
// a unit and a negative rate are errors.
func ParseRate(s string) (Rate, error) {
	if isBareNumber(s) {
		return 0, fmt.Errorf("%q has no unit: write %sMiB/s", s, s)
	}
	const what = "a rate such as 125MiB/s"
	size, found := strings.CutSuffix(s, "/s")
	if !found {
		return 0, fmt.Errorf("%q is not %s", s, what)
	}
	bytes, err := parseBytes(strings.TrimSpace(size), s, what)
	return Rate(math.Round(bytes)), err
}

// String returns r with at most one decimal: "125MiB/s".
func (r Rate) String() string { return Size(r).String() + "/s" }

// MarshalText returns r in whole bytes per second, which ParseRate reads back exactly.
func (r Rate) MarshalText() ([]byte, error) { return []byte(Size(r).Exact() + "/s"), nil }

// UnmarshalText parses text with ParseRate.
func (r *Rate) UnmarshalText(text []byte) (err error) {
	*r, err = ParseRate(string(text))
	return err
}
