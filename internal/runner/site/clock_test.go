package site

import (
	"testing"
	"time"
)

func TestClockStep(t *testing.T) {
	for _, c := range []struct {
		moved, during time.Duration
		stepped       bool
	}{
		{0, time.Minute, false},
		{15 * time.Millisecond, time.Second, false},
		{30 * time.Millisecond, time.Minute, false}, // NTP slewing at 500 ppm
		{-time.Second, time.Minute, true},
		{time.Hour, time.Minute, true},
	} {
		if got := clockStep(c.moved, c.during) != nil; got != c.stepped {
			t.Errorf("clock moved %v during %v: stepped %v, want %v", c.moved, c.during, got, c.stepped)
		}
	}
}
