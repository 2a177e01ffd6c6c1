//go:build linux && measure

package awake

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"plinth/internal/host/launch"
	"plinth/internal/host/watch"
	"plinth/internal/journal/journaltest"
	"plinth/internal/limit"
	"plinth/internal/measuretest"
)

// ran is for how many seconds a thread ran.
func ran(t testing.TB, thread watch.IdleThread) float64 {
	t.Helper()
	first, _, _ := strings.Cut(file(t, thread, "schedstat"), " ")
	ns, err := strconv.ParseFloat(first, 64)
	if err != nil {
		t.Fatal(err)
	}
	return ns / 1e9
}

func TestMeasureAwake(t *testing.T) {
	measuretest.Ask(t, "Does an idle thread get the CPU time that no other thread uses?", func(m *measuretest.M) {
		group, err := limit.MakeIdle(journaltest.Open(m.T, limit.Undoers()), "awake")
		if err != nil {
			m.Fatal(err)
		}
		k, err := Start(m.Context(), launch.NewLocal(), group.Directories())
		if err != nil {
			m.Fatal(err)
		}
		began, before := time.Now(), 0.0
		for _, thread := range k.Threads() {
			before += ran(m, thread)
		}
		time.Sleep(time.Second / 2)
		used, took := -before, time.Since(began).Seconds()
		for _, thread := range k.Threads() {
			used += ran(m, thread)
		}
		if err := k.Stop(); err != nil {
			m.Error(err)
		}
		if err := group.Remove(m.Context()); err != nil {
			m.Error(err)
		}
		m.AtLeast("CPU time of the idle threads, as a share of all CPU time", used/took/float64(len(k.Threads())), "", 0.5)
	})
}
