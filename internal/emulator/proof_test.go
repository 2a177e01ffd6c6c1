package emulator

import (
	"testing"
	"time"
)

// TestProofBounds: what holds, and what is near, on either side.
func TestProofBounds(t *testing.T) {
	const bound = 90 * time.Microsecond
	for _, c := range []struct {
		read, write time.Duration // by how much they are off
		holds, near bool
	}{
		{0, 0, true, true}, {30, -30, true, true}, {31, 0, true, false}, {0, -31, true, false},
		{90, -90, true, false}, {-91, 0, false, false}, {0, 91, false, false},
	} {
		p := Proof{ExpectedRead: time.Millisecond, ExpectedWrite: 2 * time.Millisecond, BoundRead: bound, BoundWrite: bound,
			MeasuredRead: time.Millisecond + c.read*time.Microsecond, MeasuredWrite: 2*time.Millisecond + c.write*time.Microsecond}
		if err := p.Holds(); (err == nil) != c.holds || p.Near() != c.near {
			t.Errorf("off by %d and %d us: holds %v, near %v", c.read, c.write, err, p.Near())
		}
	}
	if p := (Proof{MeasuredRead: time.Second, MeasuredWrite: time.Second}); p.Holds() != nil || !p.Near() {
		t.Error("a device without delays has something to hold")
	}
}
