//go:build linux && measure

package launch

import (
	"testing"
	"time"

	"plinth/internal/measuretest"
)

// end kills one of a tree, or both, and returns how long the others live on, in seconds.
func (tr tree) end(t testing.TB, victim string) float64 {
	t.Helper()
	began := time.Now()
	if victim != "guard" {
		kill(t, tr.plinth.Process.Pid)
	}
	if victim != "plinth" {
		kill(t, tr.guard)
	}
	waitFor(t, "the program and the guard to end", func() bool { return !alive(tr.program) && !alive(tr.guard) })
	return time.Since(began).Seconds()
}

func TestMeasureEndAfterAKill(t *testing.T) {
	measuretest.Ask(t, "How soon does a program end after plinth or its guard process is killed?", func(m *measuretest.M) {
		name := map[string]string{"plinth": "plinth", "guard": "the guard", "both": "both"}
		for _, victim := range []string{"plinth", "guard", "both"} {
			m.AtMost("time to exit after killing "+name[victim], 1e3*grow(m, "willing", time.Hour).end(m, victim), "ms", 1000)
		}
		const grace = 100 * time.Millisecond
		for _, victim := range []string{"plinth", "guard"} {
			beyond := grow(m, "stubborn", grace).end(m, victim) - grace.Seconds()
			m.Between("time to exit beyond the grace period after killing "+name[victim]+", if the program ignores signals", 1e3*beyond, "ms", 0, 1000)
		}
	})
}
