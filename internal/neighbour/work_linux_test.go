package neighbour

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plinth/internal/unit"
)

// A worker that is always ready does as many blocks as were asked for.
func TestPace(t *testing.T) {
	begin := time.Unix(1000, 0)
	for _, rate := range []unit.Rate{unit.Rate(unit.KiB), 1e6, unit.Rate(50 * unit.MiB), 10e9} {
		p := newPace(rate, begin)
		now, blocks := begin, 0
		length := max(time.Second, 100*p.interval)
		for now.Sub(begin) < length {
			if due := p.take(now); due.After(now) {
				now = due
			}
			blocks++
		}
		got := float64(blocks-1) * float64(blockSize) / now.Sub(begin).Seconds()
		if off := math.Abs(got/float64(rate) - 1); off > 0.01 {
			t.Errorf("%v: %.0f bytes a second, %.2f %% off", rate, got, 100*off)
		}
	}
}

// However long workers are busy: what is made up for is no more than the slack.
func TestPaceAfterStalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		begin := time.Unix(1000, 0)
		p := newPace(unit.Rate(blockSize)*100, begin) // one in 10 ms
		now := begin
		var done []time.Time
		for range rapid.IntRange(1, 300).Draw(t, "blocks") {
			now = now.Add(time.Duration(rapid.IntRange(0, 200).Draw(t, "busy")) * time.Millisecond / 10)
			if rapid.IntRange(0, 20).Draw(t, "stalls") == 0 {
				now = now.Add(3 * time.Second)
			}
			if due := p.take(now); due.After(now) {
				now = due
			}
			done = append(done, now)
		}
		for i := range done {
			for j := i; j < len(done); j++ {
				window := done[j].Sub(done[i])
				if most := int((window+slack)/p.interval) + 1; j-i+1 > most {
					t.Fatalf("%d blocks in %v, want at most %d", j-i+1, window, most)
				}
			}
		}
	})
}
