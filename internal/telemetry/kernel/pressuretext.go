package kernel

import (
	"bytes"
	"errors"
)

// parsePressure is the microseconds of some and of full since boot.
func parsePressure(text []byte) (totals [2]value, err error) {
	for len(text) > 0 {
		var line []byte
		line, text = cutLine(text)
		_, total, found := bytes.Cut(line, []byte("total="))
		n, ok := number(total)
		switch {
		case !found || !ok:
		case bytes.HasPrefix(line, []byte("some ")):
			totals[0] = value{n, true}
		case bytes.HasPrefix(line, []byte("full ")):
			totals[1] = value{n, true}
		}
	}
	if !totals[0].there {
		err = errNoPressure
	}
	return totals, err
}

var errNoPressure = errors.New("has no line of some with a total")
