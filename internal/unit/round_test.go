package unit

import "testing"

func TestRounded(t *testing.T) {
	for value, want := range map[float64]float64{0: 0, -3: 0, 2996.4: 3000, 12345: 12300, 99.96: 100, 163456: 163000} {
		if got := Rounded(value); got != want {
			t.Errorf("%g: got %g, want %g", value, got, want)
		}
	}
}
