package watch

import (
	"testing"
	"time"
)

// TestUntilTick: the slow clock ticks only when the fast one does.
func TestUntilTick(t *testing.T) {
	const slow, fast = 100 * time.Millisecond, 25 * time.Millisecond
	for _, now := range []time.Duration{-slow - 1, -1, 0, 1, fast - 1, fast, 60 * time.Millisecond, slow, 3*slow + 7, time.Hour + 99*time.Millisecond} {
		toSlow, toFast := untilTick(now, slow), untilTick(now, fast)
		if toSlow <= 0 || toSlow > slow || (now+toSlow)%slow != 0 || toFast <= 0 || toFast > fast || (toSlow-toFast)%fast != 0 {
			t.Errorf("at %v the ticks come in %v and %v", now, toSlow, toFast)
		}
	}
	if until := UntilTick(slow); until <= 0 || until > slow {
		t.Errorf("the next tick comes in %v", until)
	}
	if UntilTick(0) != 0 {
		t.Error("no clock ticks without pause")
	}
}
