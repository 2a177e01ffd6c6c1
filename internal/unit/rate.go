package unit

import (
	"fmt"
	"math"
	"strings"
)

// Rate is bytes in a second: the throughput of a disk.
type Rate float64

// ParseRate reads a rate with its unit, such as 125MiB/s or 1GB/s: a Size, and
// "/s". A bare number and a negative rate are errors.
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

// String prints r for people, with at most one decimal: "125MiB/s".
func (r Rate) String() string { return Size(r).String() + "/s" }

// MarshalText writes r so that it reads back exactly.
func (r Rate) MarshalText() ([]byte, error) { return []byte(Size(r).Exact() + "/s"), nil }

// UnmarshalText is ParseRate.
func (r *Rate) UnmarshalText(text []byte) (err error) {
	*r, err = ParseRate(string(text))
	return err
}
