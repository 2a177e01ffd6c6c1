package host

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/procfs"
	"pgregory.net/rapid"
)

type threads = map[int]procfs.ProcSchedstat

func ran(running, waiting, slices uint64) procfs.ProcSchedstat {
	return procfs.ProcSchedstat{RunningNanoseconds: running, WaitingNanoseconds: waiting, RunTimeslices: slices}
}

func TestThreadMeterAdds(t *testing.T) {
	for name, c := range map[string]struct {
		readings     []threads
		cpu, waiting uint64 // nanoseconds
	}{
		"one thread":                 {[]threads{{1: ran(5, 2, 1)}, {1: ran(9, 3, 2)}}, 9, 3},
		"one comes":                  {[]threads{{1: ran(5, 2, 1)}, {1: ran(5, 2, 1), 2: ran(4, 1, 1)}}, 9, 3},
		"one goes":                   {[]threads{{1: ran(5, 2, 1), 2: ran(4, 1, 1)}, {1: ran(6, 2, 2)}}, 10, 3},
		"an id is used again":        {[]threads{{1: ran(5, 2, 9)}, {1: ran(3, 1, 1)}}, 8, 3},
		"an id comes back later":     {[]threads{{1: ran(5, 2, 9)}, {2: ran(1, 0, 1)}, {1: ran(7, 1, 12)}}, 13, 3},
		"a clock of a CPU goes back": {[]threads{{1: ran(5, 2, 1)}, {1: ran(4, 2, 2)}}, 5, 2},
	} {
		t.Run(name, func(t *testing.T) {
			m := &threadMeter{}
			for _, now := range c.readings {
				m.add(now)
			}
			if m.cpu != c.cpu || m.waiting != c.waiting {
				t.Errorf("%d running, %d waiting; want %d, %d", m.cpu, m.waiting, c.cpu, c.waiting)
			}
		})
	}
}

// Whatever threads come and go, the sums never go down, and are no more than
// what was done.
func TestThreadMeterProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, now, done := &threadMeter{}, threads{}, uint64(0)
		for range rapid.IntRange(1, 30).Draw(t, "readings") {
			for id := range 5 {
				if rapid.Bool().Draw(t, "there") {
					more := rapid.Uint64Range(0, 100).Draw(t, "more")
					now[id] = ran(now[id].RunningNanoseconds+more, 0, now[id].RunTimeslices+1)
					done += more
				} else {
					delete(now, id)
				}
			}
			before, copied := m.cpu, threads{}
			for id, s := range now {
				copied[id] = s
			}
			m.add(copied)
			if m.cpu < before || m.cpu > done {
				t.Fatalf("%d after %d, done %d", m.cpu, before, done)
			}
		}
	})
}

// An id that was given to another process is not the process that was watched.
func TestThreadMeterOtherProcess(t *testing.T) {
	root := captured(t)
	proc, err := procfs.NewFS(filepath.Join(root, "proc"))
	if err != nil {
		t.Fatal(err)
	}
	m := newThreadMeter(proc, 4242)
	if _, err := m.read(); err != nil {
		t.Fatal(err)
	}
	stat, err := os.ReadFile(filepath.Join(root, "proc/4242/stat"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, root, map[string]string{"proc/4242/stat": strings.Replace(string(stat), " 1295265 ", " 1295266 ", 1)})
	if _, err := m.read(); !errors.Is(err, errGone) {
		t.Errorf("%v", err)
	}
}
