//go:build linux && measure

package neighbour

import (
	"runtime"
	"testing"
	"time"

	"plinth/internal/host/hosttest"
	"plinth/internal/host/watch"
	"plinth/internal/measuretest"
	"plinth/internal/unit"
)

// over lets a load go on for a while, and is how many seconds that were by its own clock.
func (l *Load) over(t testing.TB, while time.Duration) (seconds float64) {
	t.Helper()
	l.Reached()
	first := l.last
	hosttest.WaitFor(t, "the load to go on", func() bool { return l.output.latest().At > first.At+while })
	return (l.output.latest().At - first.At).Seconds()
}

func TestMeasureRate(t *testing.T) {
	measuretest.Ask(t, "Does a neighbour keep to its rates, and do the kernel's counters agree?", func(m *measuretest.M) {
		dir := hosttest.OpenDir(m)
		o := Options{Directory: dir, Write: unit.Rate(12 * unit.MiB), Read: unit.Rate(5 * unit.MiB)}
		direct := takesDirect(m, dir)
		load := startHere(m, o)
		load.over(m, 200*time.Millisecond)
		readBefore, writtenBefore := bytesOf(m, load.PID())
		seconds := load.over(m, 2*time.Second)
		readAfter, writtenAfter := bytesOf(m, load.PID())
		reached := load.Reached()
		m.Between("written, relative to the requested rate", reached.Write/float64(o.Write), "", 0.97, 1.03)
		m.Between("read, relative to the requested rate", reached.Read/float64(o.Read), "", 0.97, 1.03)
		if direct { // the kernel is asked up to 100 ms after what the load told
			m.Between("written according to the kernel, relative to the requested rate", (writtenAfter-writtenBefore)/seconds/float64(o.Write), "", 0.9, 1.1)
			m.Between("read according to the kernel, relative to the requested rate", (readAfter-readBefore)/seconds/float64(o.Read), "", 0.9, 1.1)
		}
	})
}

func TestMeasureCPU(t *testing.T) {
	measuretest.Ask(t, "Do busy threads run or wait for a CPU all the time, and do the kernel's counters agree?", func(m *measuretest.M) {
		for name, threads := range map[string]int{"one thread": 1, "more threads than CPUs": runtime.NumCPU() + 4} {
			load := startHere(m, Options{CPU: threads})
			watch := watch.New(load.PID(), 50*time.Millisecond)
			began, ticks := time.Now(), ticksOf(m, load.PID())
			seconds := load.over(m, time.Second)
			reached := load.Reached()
			counted := (ticksOf(m, load.PID()) - ticks).Seconds() / seconds
			watch.Stop()
			u, err := watch.Between(began, time.Now())
			if err != nil {
				m.Fatal(err)
			}
			// What a hypervisor gave to others they neither ran nor waited for.
			stolen := u.Steal / u.Covered.Seconds()
			pressed := reached.CPU + reached.Waiting
			m.AtMost(name+": running and waiting time, relative to elapsed time", pressed/float64(threads), "", 1.1)
			m.AtLeast(name+": running, waiting and steal time, relative to elapsed time", (pressed+stolen)/float64(threads), "", 0.9)
			// The kernel is asked up to 100 ms after what the load told.
			m.Between(name+": CPU time according to the kernel, relative to that reported by the load", counted/reached.CPU, "", 0.7, 1.5)
			if err := load.Stop(); err != nil {
				m.Error(err)
			}
		}
	})
}
