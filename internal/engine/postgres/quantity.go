package postgres

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// How PostgreSQL writes quantities: units are case-sensitive, multiples of 1024,
// and a bare number is in the setting's own unit.
// https://www.postgresql.org/docs/current/config-setting.html#CONFIG-SETTING-NAMES-VALUES
var (
	memoryUnits = map[string]float64{"B": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
	timeUnits   = map[string]float64{
		"us": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9, "h": 3600e9, "d": 86400e9,
	}
)

// parseMemory reads the value of a memory setting as bytes. unit is what a bare
// number counts: 8192 for shared_buffers.
func parseMemory(value string, unit int64) (int64, error) {
	n, err := parseQuantity(value, float64(unit), memoryUnits)
	if err != nil {
		return 0, fmt.Errorf("%q is not an amount of memory such as 128MB", value)
	}
	return n, nil
}

func parseQuantity(value string, bare float64, units map[string]float64) (int64, error) {
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

// sameValue compares a value as written with one that the server prints: 1024MB
// is 1GB, and yes is on. unit is the setting's own, of pg_settings: "8kB", "ms",
// or "" where a value has none.
func sameValue(written, printed, unit string) bool {
	if strings.EqualFold(strings.TrimSpace(written), printed) {
		return true
	}
	on, isSwitch := switches[strings.ToLower(strings.TrimSpace(written))]
	if other, also := switches[printed]; isSwitch && also {
		return on == other
	}
	units := timeUnits
	if strings.HasSuffix(unit, "B") {
		units = memoryUnits
	}
	if unit == "" || !strings.Contains("0123456789", unit[:1]) {
		unit = "1" + unit // "ms" is one, "8kB" says how many
	}
	bare, err := parseQuantity(unit, 1, units)
	if err != nil {
		return false
	}
	x, errX := parseQuantity(written, float64(bare), units)
	y, errY := parseQuantity(printed, float64(bare), units)
	return errX == nil && errY == nil && x == y
}

// switches are the words for on and off; the server prints the first of each.
// https://www.postgresql.org/docs/current/config-setting.html
var switches = map[string]bool{
	"on": true, "true": true, "yes": true, "1": true,
	"off": false, "false": false, "no": false, "0": false,
}
