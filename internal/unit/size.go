package unit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Size is an amount of memory or disk, in bytes.
type Size int64

// The binary sizes.
const (
	KiB Size = 1 << 10
	MiB Size = 1 << 20
	GiB Size = 1 << 30
	TiB Size = 1 << 40
)

// sizeUnits is in the order in which String tries the units. Decimal units are parsed, but never
// printed.
var sizeUnits = []struct {
	name  string
	bytes Size
}{
	{"TiB", TiB}, {"GiB", GiB}, {"MiB", MiB}, {"KiB", KiB},
	{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1},
}

// ParseSize parses a size with its unit: B, KiB, MiB, GiB, TiB (powers of 1024) or kB, MB, GB, TB
// (powers of 1000). A number without a unit and a negative size are errors.
func ParseSize(s string) (Size, error) {
	if isBareNumber(s) {
		return 0, fmt.Errorf("%q has no unit: write %sMiB or %sGiB", s, s, s)
	}
	bytes, err := parseBytes(s, s, "a size such as 8GiB or 128MiB")
	return Size(math.Round(bytes)), err
}

// parseBytes parses a number of bytes with its unit. whole and what are for its errors.
func parseBytes(s, whole, what string) (float64, error) {
	for _, u := range sizeUnits {
		number, found := strings.CutSuffix(s, u.name)
		if !found {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		bytes := n * float64(u.bytes)
		switch {
		case err != nil || math.IsNaN(n):
			return 0, fmt.Errorf("%q is not %s", whole, what)
		case n < 0:
			return 0, fmt.Errorf("%q is negative", whole)
		case bytes >= math.MaxInt64:
			return 0, fmt.Errorf("%q is too large", whole)
		}
		return bytes, nil
	}
	return 0, fmt.Errorf("%q is not %s", whole, what)
}

// String returns s with at most one decimal, rounded: "1.9GiB".
func (s Size) String() string {
	for _, u := range sizeUnits[:4] {
		if s >= u.bytes {
			text := strconv.FormatFloat(float64(s)/float64(u.bytes), 'f', 1, 64)
			return strings.TrimSuffix(text, ".0") + u.name
		}
	}
	return fmt.Sprintf("%dB", int64(s))
}

// Exact returns s so that ParseSize reads back the same number of bytes, in the largest binary unit of
// which s is a multiple: "1536MiB".
func (s Size) Exact() string {
	for _, u := range sizeUnits[:4] {
		if s >= u.bytes && s%u.bytes == 0 {
			return fmt.Sprintf("%d%s", int64(s/u.bytes), u.name)
		}
	}
	return fmt.Sprintf("%dB", int64(s))
}

// MarshalText returns Exact.
func (s Size) MarshalText() ([]byte, error) { return []byte(s.Exact()), nil }

// UnmarshalText parses text with ParseSize.
func (s *Size) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSize(string(text))
	return err
}
