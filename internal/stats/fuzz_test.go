package stats

import (
	"encoding/binary"
	"math"
	"testing"
)

// floatsOf reads bytes as floats, at most so many.
func floatsOf(data []byte, most int) []float64 {
	var values []float64
	for len(data) >= 8 && len(values) < most {
		values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(data)))
		data = data[8:]
	}
	return values
}

func bytesOf(values ...float64) []byte {
	var data []byte
	for _, v := range values {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
	}
	return data
}

func FuzzDecide(f *testing.F) {
	f.Add(bytesOf(1, 2, 3, 4, 5, 6), bytesOf(3, 2, 1), 0.05, 0.03)
	f.Add(bytesOf(1e100, -1e100, 5e-324, 0, math.Copysign(0, -1)), bytesOf(1e-200, 2e-200), 0.5, 0.0)
	f.Add(bytesOf(math.NaN(), math.Inf(1)), bytesOf(), math.NaN(), math.Inf(-1))
	f.Add(bytesOf(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), bytesOf(1), 1e-300, -1.0)
	f.Fuzz(func(t *testing.T, first, second []byte, alpha, margin float64) {
		a, b := floatsOf(first, 14), floatsOf(second, 7)
		var family []*Test
		if test, err := Paired(a, 1); err == nil {
			family = append(family, test)
		}
		if test, err := Independent(a, b, 1); err == nil {
			family = append(family, test)
		}
		for i, d := range Decide(append(family, nil), alpha, margin) {
			if math.IsNaN(d.Low) || math.IsNaN(d.High) || d.Low > d.High || !(d.P > 0 && d.P <= 1) {
				t.Errorf("%d: %+v of %v and %v", i, d, a, b)
			}
		}
		for _, test := range family {
			if math.IsNaN(test.SD()+test.Mean()) || math.IsInf(test.SD(), 0) || len(test.Notes()) == 0 {
				t.Errorf("sd %v, mean %v of %v and %v", test.SD(), test.Mean(), a, b)
			}
		}
	})
}

func FuzzPlan(f *testing.F) {
	f.Add(13, 6, 3, 0.05, 0.02, 0.05, 0.8)
	f.Add(-1, 0, -5, math.NaN(), math.Inf(1), -0.1, 2.0)
	f.Add(1, 12, 1, 5e-324, 5e-324, 1-1e-16, 1-1e-16)
	f.Fuzz(func(t *testing.T, perRepeat, repeats, family int, sd, effect, alpha, power float64) {
		perRepeat, repeats = perRepeat%10_000, repeats%10_000
		for _, look := range Looks(perRepeat, repeats, family) {
			if look.Units < 1 || look.Repeat > repeats || !(look.Alpha > 0 && look.Alpha <= 0.05) {
				t.Errorf("%+v", look)
			}
		}
		if got := Detectable(sd, perRepeat, alpha, power); !(got >= 0) {
			t.Errorf("detectable: %v", got)
		}
		if units, ok := Needed(sd, effect, alpha, power, 100); ok && (units < 1 || units > 100) {
			t.Errorf("needed: %d", units)
		}
	})
}
