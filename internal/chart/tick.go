package chart

import "math"

// A tick is a labelled position on an axis.
type tick struct {
	value float64
	label string
}

// niceStep returns the least of 1, 2 and 5 times a power of ten that divides a span into no
// more than n parts.
func niceStep(span float64, n int) float64 {
	raw := span / float64(n)
	unit := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5} {
		if m*unit >= raw*(1-1e-9) {
			return m * unit
		}
	}
	return 10 * unit
}

// linearTicks returns the multiples of a nice step from lo to hi, about n of them.
func linearTicks(lo, hi float64, n int) []tick {
	if !(hi > lo) || math.IsInf(hi-lo, 0) {
		return []tick{{lo, short(lo)}}
	}
	step := niceStep(hi-lo, n)
	digits := decimals(step)
	var ticks []tick
	for i := math.Ceil(lo/step - 1e-6); i*step <= hi+step*1e-6 && len(ticks) <= 2*n; i++ {
		ticks = append(ticks, tick{i * step, number(i*step, digits)})
	}
	return ticks
}

// logTicks returns 1, 2 and 5 times each power of ten from lo to hi. Over many powers it
// returns only the powers, or every second one and so on. Below a factor of four it returns
// the ticks of a linear axis, to be placed logarithmically.
func logTicks(lo, hi float64, n int) []tick {
	if hi/lo < 4 {
		return linearTicks(lo, hi, n)
	}
	powers := math.Log10(hi) - math.Log10(lo) // hi/lo may overflow
	steps, stride := []float64{1, 2, 5}, 1
	if powers > 0.6*float64(n) {
		steps, stride = steps[:1], max(1, int(math.Ceil(powers/float64(n))))
	}
	var ticks []tick
	for p := int(math.Floor(math.Log10(lo))); p <= int(math.Ceil(math.Log10(hi))); p++ {
		if p%stride != 0 {
			continue
		}
		for _, m := range steps {
			if v := m * math.Pow10(p); v >= lo*(1-1e-9) && v <= hi*(1+1e-9) {
				ticks = append(ticks, tick{v, plain(v)})
			}
		}
	}
	return ticks
}

// ratioTicks returns ticks for ratios: x0.5, x1, x2. They are powers of two, or of ten over a
// large span, or the multiples of a nice step if lo and hi are close; x1 is among them.
func ratioTicks(lo, hi float64) []tick {
	const n = 7 // approximate maximum
	if hi/lo < 3 {
		return named(linearTicks(lo, hi, n), "x")
	}
	base := 2.0
	if hi/lo > math.Pow(2, 2*n) {
		base = 10
	}
	powers := (math.Log(hi) - math.Log(lo)) / math.Log(base)
	stride := math.Max(1, math.Ceil(powers/n))
	var ticks []tick
	for p := -stride * math.Floor(-math.Log(lo)/math.Log(base)/stride); len(ticks) <= 2*n; p += stride {
		v := math.Pow(base, p)
		if v > hi*(1+1e-9) {
			break
		}
		ticks = append(ticks, tick{v, plain(v)})
	}
	return named(ticks, "x")
}

func named(ticks []tick, prefix string) []tick {
	for i := range ticks {
		ticks[i].label = prefix + ticks[i].label
	}
	return ticks
}

// signed adds a plus sign to positive labels, because effects have a direction.
func signed(ticks []tick) []tick {
	for i := range ticks {
		if ticks[i].value > 0 {
			ticks[i].label = "+" + ticks[i].label
		}
	}
	return ticks
}
