package unit

import "testing"

func TestGrouped(t *testing.T) {
	for want, test := range map[string]struct {
		f        float64
		decimals int
	}{
		"0": {0, 0}, "999": {999.4, 0}, "1,000": {999.5, 0}, "1,234,567.10": {1234567.1, 2}, "-1,000": {-1000, 0}, "0.00": {-0.001, 2},
		"12.5": {12.5, -1}, "1,280": {1280, -1},
	} {
		if got := Grouped(test.f, test.decimals); got != want {
			t.Errorf("%g is %s, want %s", test.f, got, want)
		}
	}
}
