package profile

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"plinth/internal/knob"
	"plinth/internal/unit"
)

// sizeUnits are the units of knobs that are sizes, in bytes. The result of an
// expression for such a knob is in bytes, as the facts are.
var sizeUnits = map[string]float64{"B": 1, "bytes": 1, "kB": 1 << 10, "8kB": 8 << 10, "MB": 1 << 20}

// wordOf is a number as a bare one in the unit of a knob; Canonical then spells it as
// the knob's owner does. Sizes are in bytes, and come to whole units, from 1 MiB on to
// whole MiB. Any other number is in the knob's own unit already.
func wordOf(k knob.Knob, x float64) (string, error) {
	per, isSize := sizeUnits[k.Unit]
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "", errors.New("gives no number")
	case isSize && x < 0:
		return "", fmt.Errorf("gives a negative size, %s bytes", number(x))
	case math.Abs(x) >= 1<<62:
		return "", fmt.Errorf("gives %s, which is too large", number(x))
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

// fourDigits rounds to what is worth saying.
func fourDigits(x float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64)
	if err != nil {
		return x
	}
	return rounded
}
