package runpage

import (
	"math"

	"plinth/internal/report/phrase"
)

// blocks holds the bars by height, the lowest first.
var blocks = []rune("▁▂▃▄▅▆▇█")

// unseen marks an unknown value: a gap must not look like a zero.
const unseen = '·'

// sparkline draws one bar per value. Bars start at zero, not at the lowest value: a variation
// of 2 % must not look like a cliff.
func sparkline(values []float64) string {
	_, most := extremes(values)
	line := make([]rune, len(values))
	for i, v := range values {
		line[i] = bar(v, most)
	}
	return string(line)
}

func bar(v, most float64) rune {
	switch {
	case !phrase.Known(v):
		return unseen
	case v <= 0 || most <= 0:
		return blocks[0]
	}
	height := int(v / most * float64(len(blocks)))
	return blocks[min(max(height, 0), len(blocks)-1)]
}

// fold reduces each group of this many adjacent values to the lowest or the highest one. A mean
// would hide the one second that matters.
func fold(values []float64, of int, least bool) []float64 {
	of = max(of, 1)
	folded := make([]float64, 0, (len(values)+of-1)/of)
	for from := 0; from < len(values); from += of {
		low, high := extremes(values[from:min(from+of, len(values))])
		if least {
			folded = append(folded, low)
		} else {
			folded = append(folded, high)
		}
	}
	return folded
}

// extremes returns the lowest and the highest known value; NaN without any.
func extremes(values []float64) (least, most float64) {
	least, most = math.NaN(), math.NaN()
	for _, v := range values {
		if !phrase.Known(v) {
			continue
		}
		if !(v >= least) { // true for NaN, too
			least = v
		}
		if !(v <= most) {
			most = v
		}
	}
	return least, most
}
