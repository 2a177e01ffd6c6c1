package host

import (
	"testing"
	"time"
)

func TestUntilTick(t *testing.T) {
	slow, fast := UntilTick(100*time.Millisecond), UntilTick(25*time.Millisecond)
	if slow <= 0 || slow > 100*time.Millisecond || fast <= 0 || fast > 25*time.Millisecond {
		t.Errorf("%v and %v", slow, fast)
	}
	// The fast clock ticks whenever the slow one does. What passes between the two
	// questions is the difference.
	if off := (slow - fast) % (25 * time.Millisecond); off > 5*time.Millisecond && off < 20*time.Millisecond {
		t.Errorf("the ticks are %v apart", off)
	}
	if UntilTick(0) != 0 {
		t.Error("no clock ticks without pause")
	}
}
