package kernel

import "testing"

func FuzzStat(f *testing.F) {
	for _, text := range hostile {
		f.Add([]byte(text))
	}
	f.Add([]byte(goodText["stat"]))
	f.Fuzz(func(t *testing.T, text []byte) {
		var s statText
		if err := s.parse(text); err == nil && (s.total.known <= idle || s.online() > mostCPUs) {
			t.Errorf("%d modes of %d CPUs", s.total.known, s.online())
		}
	})
}

func FuzzSchedstat(f *testing.F) {
	fuzzText(f, func(text []byte) { _, _, _ = parseSchedstat(text) })
}

func FuzzKeyed(f *testing.F) {
	values := make([]value, 2)
	fuzzText(f, func(text []byte) { _ = newKeyed("MemTotal", "pgfault").parse(text, values) })
}

func FuzzPressure(f *testing.F) {
	fuzzText(f, func(text []byte) { _, _ = parsePressure(text) })
}

func FuzzDisk(f *testing.F) {
	fuzzText(f, func(text []byte) {
		_, numbers := cutDisk(text)
		var into diskNumbers
		_ = cutNumbers(numbers, into[:])
	})
}

func FuzzInterface(f *testing.F) {
	fuzzText(f, func(text []byte) {
		var into netNumbers
		_, _ = parseInterface(text, &into)
	})
}
