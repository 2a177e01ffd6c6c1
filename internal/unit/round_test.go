package unit

import "testing"

func TestDigits(t *testing.T) {
	for want, f := range map[string]float64{"100": 99.96, "1230": 1234.5, "0.0123": 0.012345, "0": 0, "-4.57": -4.567, "16400": 16384, "0.00000123": 1.2345e-6} {
		if got := Digits(f, 3); got != want {
			t.Errorf("%v is %s, want %s", f, got, want)
		}
	}
}

func TestRounded(t *testing.T) {
	for value, want := range map[float64]float64{0: 0, -3: 0, 2996.4: 3000, 12345: 12300, 99.96: 100, 163456: 163000} {
		if got := Rounded(value); got != want {
			t.Errorf("%g: got %g, want %g", value, got, want)
		}
	}
}
