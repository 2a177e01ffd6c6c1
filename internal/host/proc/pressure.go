package proc

import (
	"bytes"
	"errors"
)

// Pressure returns the microseconds of "some" and "full" since boot, from a file of
// /proc/pressure or of a control group (Documentation/accounting/psi.rst).
func Pressure(text []byte) (totals [2]Value, err error) {
	for len(text) > 0 {
		var line []byte
		line, text = CutLine(text)
		_, total, found := bytes.Cut(line, []byte("total="))
		n, ok := Number(total)
		switch {
		case !found || !ok:
		case bytes.HasPrefix(line, []byte("some ")):
			totals[0] = Value{n, true}
		case bytes.HasPrefix(line, []byte("full ")):
			totals[1] = Value{n, true}
		}
	}
	if !totals[0].There {
		err = errNoPressure
	}
	return totals, err
}

var errNoPressure = errors.New("has no \"some\" line with a total")
