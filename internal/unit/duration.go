// Package unit parses and prints quantities with a unit: durations, rates, shares and sizes. It refuses
// a number without a unit, because "60" in an experiment file could mean seconds, minutes or a count.
package unit

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Duration is a length of time as written in an experiment file: "60s", "1.8ms".
type Duration time.Duration

// ParseDuration parses a duration with its unit: ns, us (or µs), ms, s, m, h, and combinations such as
// 1m30s. A number without a unit and a negative duration are errors.
func ParseDuration(s string) (Duration, error) {
	if isBareNumber(s) {
		return 0, fmt.Errorf("%q has no unit: write %ss or %sms", s, s, s)
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration such as 60s, 1.8ms or 5m", s)
	}
	if d < 0 {
		return 0, fmt.Errorf("%q is negative", s)
	}
	return Duration(d), nil
}

// Std returns d as a time.Duration.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// Seconds returns d in seconds.
func (d Duration) Seconds() float64 { return time.Duration(d).Seconds() }

// String returns d so that ParseDuration can read it: "60s", "1m30s", "1.8ms". Whole seconds up to two
// minutes are printed in seconds.
func (d Duration) String() string {
	std := time.Duration(d)
	if std >= time.Second && std <= 2*time.Minute && std%time.Second == 0 {
		return fmt.Sprintf("%ds", std/time.Second)
	}
	s := std.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return strings.Replace(s, "µs", "us", 1)
}

// MarshalText returns String.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText parses text with ParseDuration.
func (d *Duration) UnmarshalText(text []byte) (err error) {
	*d, err = ParseDuration(string(text))
	return err
}

// isBareNumber reports whether s is a number without a unit. It requires a digit, so that "inf" is not
// a number.
func isBareNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil && strings.ContainsAny(s, "0123456789")
}

// About formats a duration for a sentence, in a unit that fits: "45 s", "12 min", "10.3 h".
func About(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()+0.5))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()+0.5))
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}
