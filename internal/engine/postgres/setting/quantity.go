// Package setting parses and compares the values of PostgreSQL's settings as text: quantities
// with units, and booleans. It also knows which settings may hold a secret.
package setting

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// How PostgreSQL writes quantities: units are case-sensitive, memory units are multiples of 1024,
// and a bare number is in the setting's own unit.
// https://www.postgresql.org/docs/current/config-setting.html#CONFIG-SETTING-NAMES-VALUES
var (
	MemoryUnits = map[string]float64{"B": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
	TimeUnits   = map[string]float64{
		"us": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9, "h": 3600e9, "d": 86400e9,
	}
)

// Memory parses the value of a memory setting, and returns bytes. unit is the unit of a bare
// number in bytes: 8192 for shared_buffers.
func Memory(value string, unit int64) (int64, error) {
	n, err := Quantity(value, float64(unit), MemoryUnits)
	if err != nil {
		return 0, fmt.Errorf("%q is not an amount of memory such as 128MB", value)
	}
	return n, nil
}

// Quantity parses a value, and returns it in the base unit of units; bare is the factor of a
// number without a unit.
func Quantity(value string, bare float64, units map[string]float64) (int64, error) {
	value = strings.TrimSpace(value)
	end := strings.LastIndexAny(value, "0123456789.") + 1
	unit := strings.TrimSpace(value[end:])
	factor, known := units[unit]
	if unit == "" {
		factor, known = bare, true
	}
	n, err := strconv.ParseFloat(value[:end], 64)
	if total := n * factor; known && err == nil && math.Abs(total) < math.MaxInt64 {
		return int64(math.Round(total)), nil
	}
	return 0, fmt.Errorf("not a quantity")
}

// Same reports whether a value as written equals one that the server prints: 1024MB is 1GB, and
// yes is on. unit is the setting's unit in pg_settings: "8kB", "ms", or "" if it has none.
func Same(written, printed, unit string) bool {
	if strings.EqualFold(strings.TrimSpace(written), printed) {
		return true
	}
	on, isSwitch := Switches[strings.ToLower(strings.TrimSpace(written))]
	if other, also := Switches[printed]; isSwitch && also {
		return on == other
	}
	units := TimeUnits
	if strings.HasSuffix(unit, "B") {
		units = MemoryUnits
	}
	if unit == "" || !strings.Contains("0123456789", unit[:1]) {
		unit = "1" + unit // "ms" has no number, "8kB" has one
	}
	bare, err := Quantity(unit, 1, units)
	if err != nil {
		return false
	}
	x, errX := Quantity(written, float64(bare), units)
	y, errY := Quantity(printed, float64(bare), units)
	return errX == nil && errY == nil && x == y
}

// Switches maps the words for on and off; the server prints "on" and "off".
// https://www.postgresql.org/docs/current/config-setting.html
var Switches = map[string]bool{
	"on": true, "true": true, "yes": true, "1": true,
	"off": false, "false": false, "no": false, "0": false,
}

// Hidden matches the settings whose values may hold a secret.
var Hidden = regexp.MustCompile(`(?i)password|passphrase|passwd|secret|token|credential|conninfo|_command$|\.(key|salt)$`)

// BaseUnit returns the value of a setting's unit in the base of units: 8192 for "8kB", 1e6 ns for
// "ms".
func BaseUnit(unit string, units map[string]float64) (float64, bool) {
	if unit == "" {
		return 0, false
	}
	if !strings.Contains("0123456789", unit[:1]) {
		unit = "1" + unit
	}
	n, err := Quantity(unit, 1, units)
	return float64(n), err == nil
}

// Printed formats a bare number of a unit as SHOW does: in the largest unit in which it is a
// whole number. 16384 of 8kB is 128MB. Values that are not positive have a special meaning, and
// no unit.
func Printed(bare, unit string) string {
	n, err := strconv.ParseFloat(bare, 64)
	if err != nil || n <= 0 {
		return bare
	}
	for _, units := range []map[string]float64{MemoryUnits, TimeUnits} {
		base, ok := BaseUnit(unit, units)
		if !ok {
			continue
		}
		name, size := "", 0.0
		for candidate, factor := range units {
			if times := n * base / factor; factor > size && times == float64(int64(times)) {
				name, size = candidate, factor
			}
		}
		return fmt.Sprintf("%.0f%s", n*base/size, name)
	}
	return bare
}
