package figure

import (
	"fmt"
	"math"

	"plinth/internal/figure/window"
)

// throughput holds what the seconds' TPS say of the window.
func (m *maker) throughput() {
	tps := m.Of("tps")
	peak, at := tps.Most()
	m.put("tps-peak", peak)
	m.put("tps-peak-second", at)
	lowest, at := tps.Least()
	m.put("tps-lowest", lowest)
	m.put("tps-lowest-second", at)
	depth, at := drop(tps)
	m.put("tps-drop", depth)
	m.put("tps-drop-second", at)
	m.put("tps-variation", variation(tps))
}

// variation is the standard deviation over the mean.
func variation(s window.Series) window.Number {
	mean := s.Mean()
	switch {
	case mean.Why != "":
		return mean
	case mean.Value == 0:
		return window.Number{Why: "TPS was 0 in the whole window"}
	case len(s.Values) < 2:
		return window.Number{Why: "a standard deviation needs at least two seconds"}
	}
	squares := 0.0
	for _, v := range s.Values {
		squares += (v - mean.Value) * (v - mean.Value)
	}
	return window.Number{Value: math.Sqrt(squares/float64(len(s.Values)-1)) / mean.Value}
}

// drop is how deep TPS fell at its change point, and the first second after it.
func drop(s window.Series) (depth, second window.Number) {
	switch {
	case s.Why != "":
		return window.Number{Why: s.Why}, window.Number{Why: s.Why}
	case len(s.Values) < window.FewestForDrop:
		why := fmt.Sprintf("%d seconds are too few: %d are needed", len(s.Values), window.FewestForDrop)
		return window.Number{Why: why}, window.Number{Why: why}
	}
	k := window.ChangePoint(s.Values)
	if k == 0 {
		return window.Number{Value: 0}, window.Number{Why: "TPS did not drop"}
	}
	before, after := window.Median(s.Values[:k]), window.Median(s.Values[k:])
	if after >= before {
		return window.Number{Value: 0}, window.Number{Why: "TPS did not drop"}
	}
	return window.Number{Value: 1 - after/before}, window.Number{Value: s.Seconds[k]}
}
