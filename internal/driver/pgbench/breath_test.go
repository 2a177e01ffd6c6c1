package pgbench

import (
	"testing"
	"time"
)

// breathe simulates reading a log of that many bytes a second, and returns the greatest
// fill and the mean pause once it has settled.
func breathe(capacity int, bytesPerSecond float64) (fullest int, pause time.Duration) {
	b := breath{capacity: capacity}
	n, total, count := 4096, time.Duration(0), 0
	for i := range 1000 {
		wait := b.after(n)
		n = max(4096, int(bytesPerSecond*wait.Seconds()))
		if i > 200 {
			fullest, total, count = max(fullest, n), total+wait, count+1
		}
	}
	return fullest, total / time.Duration(count)
}

func TestBreath(t *testing.T) {
	for _, rate := range []float64{0, 1e3, 1e5, 1e6, 1e7, 1e8} {
		for _, capacity := range []int{64 << 10, 1 << 20} {
			fullest, pause := breathe(capacity, rate)
			if fullest > capacity/2 {
				t.Errorf("at %g bytes a second a pipe of %d has %d", rate, capacity, fullest)
			}
			if rate <= 1e6 && capacity == 1<<20 && pause < 20*time.Millisecond {
				t.Errorf("at %g bytes a second it is read every %v", rate, pause)
			}
		}
	}
	if _, pause := breathe(0, 1e5); pause != 0 {
		t.Errorf("a pipe of unknown size is left alone for %v", pause)
	}
	b := breath{capacity: 1 << 20}
	for range openingPieces {
		if b.after(4096) != 0 {
			t.Error("the beginning of the load is read late")
		}
	}
}
