package phrase

import (
	"testing"

	"plinth/internal/record"
)

func TestShort(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0", 0.04: "0.04", 0.0004: "<0.01", 0.5: "0.5", 3: "3", 9.94: "9.9", 9.96: "10", 8500: "8,500", 9999.4: "9,999",
		9999.6: "10k", 15263: "15k", 999_400: "999k", 999_600: "1.0M", 1.24e6: "1.2M", 3e10: "30G", 1e300: "1e+288",
	} {
		if got := Short(f); got != want {
			t.Errorf("short(%g) = %s, want %s", f, got, want)
		}
	}
}

func TestTook(t *testing.T) {
	for s, want := range map[float64]string{0: "0.00 s", 0.0031: "3.1 ms", 0.19: "0.19 s", 65.3: "1m5s"} {
		if got := Took(s); got != want {
			t.Errorf("%v: %s, want %s", s, got, want)
		}
	}
}

func TestKnob(t *testing.T) {
	for want, k := range map[string]record.Knob{
		"vm.swappiness 60 → 1": {Key: "vm.swappiness", Was: "60", Value: "1"},
		`save = ""`:            {Key: "save"},
		"governor (not applicable here: no driver)": {Key: "governor", NotApplicable: "no driver"},
	} {
		if got := Knob(k); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
