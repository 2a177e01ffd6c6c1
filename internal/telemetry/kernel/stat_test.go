package kernel

import (
	"testing"

	"plinth/internal/host/proc"
)

func ticksOf(modes ...uint64) proc.CPUTicks {
	c := proc.CPUTicks{Known: len(modes)}
	copy(c.Modes[:], modes)
	return c
}

// TestHold checks that a small decrease is held, that a decrease of a second or more is a
// reset, and that growth is taken over.
func TestHold(t *testing.T) {
	for _, test := range []struct{ held, now, want uint64 }{
		{1000, 1010, 1010},
		{1000, 1000, 1000},
		{1000, 999, 1000},
		{1000, 901, 1000},
		{1000, 900, 900},
		{1000, 0, 0},
	} {
		held, now := ticksOf(0, 0, 0, test.held, test.held), ticksOf(0, 0, 0, test.now, test.now)
		hold(&held, &now)
		if held.Modes[proc.ModeIdle] != test.want || now.Modes[proc.ModeIowait] != test.want {
			t.Errorf("%d and then %d is held as %d, want %d", test.held, test.now, held.Modes[proc.ModeIdle], test.want)
		}
	}
	held, offline := ticksOf(5, 5, 5, 5), proc.CPUTicks{}
	hold(&held, &offline)
	if held != ticksOf(5, 5, 5, 5) {
		t.Errorf("a CPU that is offline is %v", held)
	}
}
