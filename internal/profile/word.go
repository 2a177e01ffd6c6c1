package profile

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"plinth/internal/knob"
	"plinth/internal/unit"
)

// sizeUnits holds the units of knobs that are sizes, in bytes. The result of an expression
// for such a knob is in bytes, like the facts.
var sizeUnits = map[string]float64{"B": 1, "bytes": 1, "kB": 1 << 10, "8kB": 8 << 10, "MB": 1 << 20}

// wordOf converts a number to a bare one in the knob's unit; Canonical then adds the unit in
// the knob's format. Sizes are in bytes and are rounded down to whole units, or to whole MiB
// from 1 MiB on. Any other number is already in the knob's own unit.
func wordOf(k knob.Knob, x float64) (string, error) {
	per, isSize := sizeUnits[k.Unit]
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "", errors.New("the result is not a finite number")
	case isSize && x < 0:
		return "", fmt.Errorf("the result is a negative size, %s bytes", number(x))
	case math.Abs(x) >= 1<<62:
		return "", fmt.Errorf("the result, %s, is too large", number(x))
	case isSize:
		if mib := float64(unit.MiB); x >= mib && per <= mib {
			x = math.Floor(x/mib) * mib
		}
		return fmt.Sprintf("%.0f", math.Floor(x/per)), nil
	case k.Kind == knob.Number:
		return strconv.FormatFloat(fourDigits(x), 'f', -1, 64), nil
	}
	return fmt.Sprintf("%.0f", math.Round(x)), nil
}

// fourDigits rounds to four significant digits.
func fourDigits(x float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64)
	if err != nil {
		return x
	}
	return rounded
}
