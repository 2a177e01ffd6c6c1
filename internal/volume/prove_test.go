package volume

import (
	"testing"
	"time"
)

// TestCorrected: what a busy machine adds is hardly taken off, what is too quick is
// given back.
func TestCorrected(t *testing.T) {
	for _, c := range []struct{ cost, off, expected, want time.Duration }{
		{80, -40, 1000, 50}, {80, 40, 1000, 90}, {80, 0, 1000, 80}, {80, 400, 0, 80},
		{80, -400, 1000, 0}, {380, 400, 2000, 400},
	} {
		const us = time.Microsecond
		if got := corrected(c.cost*us, c.off*us, c.expected*us); got != c.want*us {
			t.Errorf("%d us taken off, %d too long of %d: now %v, want %d us", c.cost, c.off, c.expected, got, c.want)
		}
	}
}
