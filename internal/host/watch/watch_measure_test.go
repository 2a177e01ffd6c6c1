//go:build linux && measure

package watch

import (
	"testing"
	"time"

	"plinth/internal/measuretest"
)

// watchBurner is what a watch saw of a burner of so many threads on one CPU, over half a
// second.
func watchBurner(m *measuretest.M, threads string) Usage {
	m.Helper()
	p := startHelper(m, "burner", "THREADS="+threads)
	began := time.Now()
	w := New(p.PID(), 50*time.Millisecond)
	time.Sleep(time.Second / 2)
	w.Stop()
	u, err := w.Between(began, time.Now())
	if err != nil {
		m.Fatal(err)
	}
	if err := p.Stop(); err != nil {
		m.Fatal(err)
	}
	return u
}

func TestMeasureWatchedBurner(t *testing.T) {
	measuretest.Ask(t, "Does a watch account for all the time of a busy thread?", func(m *measuretest.M) {
		u := watchBurner(m, "1")
		covered := u.Process.Covered.Seconds()
		m.AtMost("CPU time of one thread, relative to the time covered", u.Process.CPU/covered, "", 1.2)
		// Much of both is lost to the hypervisor where there is steal.
		m.AtLeast("running, waiting and steal time, relative to the time covered", (u.Process.CPU+u.Process.Waiting+u.Steal)/covered, "", 0.7)
		m.AtLeast("CPU time of the machine, relative to that of the process", (u.User+u.System)/u.Process.CPU, "", 0.8)
	})
}

func TestMeasureWatchedWaiting(t *testing.T) {
	measuretest.Ask(t, "Does a watch see two threads on one CPU wait for each other?", func(m *measuretest.M) {
		u := watchBurner(m, "2")
		covered := u.Process.Covered.Seconds()
		m.AtMost("CPU time of two threads on one CPU, relative to the time covered", u.Process.CPU/covered, "", 1.1)
		m.Between("running and waiting time of two threads, relative to the time covered", (u.Process.CPU+u.Process.Waiting)/covered, "", 1.4, 2.3)
	})
}
