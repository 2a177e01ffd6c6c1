package figure

import (
	"fmt"
	"math"
)

// throughput holds what the seconds' TPS say of the window.
func (m *maker) throughput() {
	tps := m.of("tps")
	peak, at := tps.most()
	m.put("tps-peak", peak)
	m.put("tps-peak-second", at)
	lowest, at := tps.least()
	m.put("tps-lowest", lowest)
	m.put("tps-lowest-second", at)
	depth, at := tps.drop()
	m.put("tps-drop", depth)
	m.put("tps-drop-second", at)
	m.put("tps-variation", tps.variation())
}

// variation is the standard deviation over the mean.
func (s series) variation() number {
	mean := s.mean()
	switch {
	case mean.why != "":
		return mean
	case mean.value == 0:
		return number{why: "TPS was 0 in the whole window"}
	case len(s.values) < 2:
		return number{why: "a standard deviation needs at least two seconds"}
	}
	squares := 0.0
	for _, v := range s.values {
		squares += (v - mean.value) * (v - mean.value)
	}
	return number{value: math.Sqrt(squares/float64(len(s.values)-1)) / mean.value}
}

// drop is how deep TPS fell at its change point, and the first second after it.
func (s series) drop() (depth, second number) {
	switch {
	case s.why != "":
		return number{why: s.why}, number{why: s.why}
	case len(s.values) < fewestForDrop:
		why := fmt.Sprintf("%d seconds are too few: %d are needed", len(s.values), fewestForDrop)
		return number{why: why}, number{why: why}
	}
	k := ChangePoint(s.values)
	if k == 0 {
		return number{value: 0}, number{why: "TPS did not drop"}
	}
	before, after := median(s.values[:k]), median(s.values[k:])
	if after >= before {
		return number{value: 0}, number{why: "TPS did not drop"}
	}
	return number{value: 1 - after/before}, number{value: s.seconds[k]}
}
