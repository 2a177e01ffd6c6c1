//go:build linux

package redisload

import (
	"testing"
	"time"

	"plinth/internal/driver/redisload/generator"
)

// TestUnfinishedRule checks that a request which waits at the end of the window matters if
// it waited for long, and for much longer than the measured ones.
func TestUnfinishedRule(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name                    string
		rate                    float64
		waited, longest, window time.Duration
		said                    bool
	}{
		{"a usual one", 0, 2 * ms, ms, 10 * time.Second, false},
		{"half the window", 0, 2500 * ms, ms, 5 * time.Second, true},
		{"less than a second", 0, 999 * ms, ms, 5 * time.Second, false},
		{"others took as long", 0, 2500 * ms, 1300 * ms, 5 * time.Second, false},
		{"others took less than half", 0, 2500 * ms, 1200 * ms, 5 * time.Second, true},
		{"with a rate, a quarter of a second", 100, 250 * ms, ms, 5 * time.Second, true},
		{"with a rate, less", 100, 249 * ms, ms, 5 * time.Second, false},
		{"with a rate, less than a hundredth", 100, 590 * ms, ms, time.Minute, false},
		{"with a rate, a hundredth", 100, 600 * ms, ms, time.Minute, true},
		{"with a rate, a second of hours", 100, time.Second, ms, 3 * time.Hour, true},
		{"with a rate, others took as long", 100, 600 * ms, 600 * ms, time.Minute, true},
		{"with a rate, others took as long, of hours", 100, time.Second, time.Second, 3 * time.Hour, false},
	} {
		notes := unfinished(generator.End{Unfinished: int64(c.waited)}, generator.Config{Rate: c.rate, Duration: c.window}, int64(c.longest))
		if (len(notes) > 0) != c.said {
			t.Errorf("%s: %v", c.name, notes)
		}
	}
}
