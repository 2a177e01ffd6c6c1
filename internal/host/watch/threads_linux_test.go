package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"plinth/internal/host/hosttest"

	"pgregory.net/rapid"
)

// threads are the schedstats of a process, by thread.
type threads map[string]string

// place makes /proc/7/task hold exactly these threads.
func place(t testing.TB, root string, all threads) {
	t.Helper()
	task := filepath.Join(root, "proc/7/task")
	if err := os.MkdirAll(task, 0o755); err != nil {
		t.Fatal(err)
	}
	there, err := os.ReadDir(task)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range there {
		if _, stays := all[entry.Name()]; !stays {
			if err := os.RemoveAll(filepath.Join(task, entry.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, text := range all {
		_ = os.Mkdir(filepath.Join(task, name), 0o755)
		if err := os.WriteFile(filepath.Join(task, name, "schedstat"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestThreadMeterAdds(t *testing.T) {
	for name, c := range map[string]struct {
		readings     []threads
		cpu, waiting uint64 // nanoseconds
	}{
		"one thread":                 {[]threads{{"1": "5 2 1"}, {"1": "9 3 2"}}, 9, 3},
		"one comes":                  {[]threads{{"1": "5 2 1"}, {"1": "5 2 1", "2": "4 1 1"}}, 9, 3},
		"one goes":                   {[]threads{{"1": "5 2 1", "2": "4 1 1"}, {"1": "6 2 2"}}, 10, 3},
		"an id comes back later":     {[]threads{{"1": "5 2 9", "2": "0 0 1"}, {"2": "1 0 1"}, {"1": "7 1 12"}}, 13, 3},
		"a clock of a CPU goes back": {[]threads{{"1": "5 2 1"}, {"1": "4 2 2"}, {"1": "6 2 2"}}, 7, 2},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			place(t, root, c.readings[0])
			m := newThreadMeter(root, 7)
			defer m.close()
			for i, now := range c.readings {
				place(t, root, now)
				if got, err := m.read(); err != nil || got.threads != len(now) {
					t.Fatalf("reading %d: %+v, %v", i, got, err)
				}
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
	outer, root := t, t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		done, ran := uint64(0), map[string]uint64{}
		place(outer, root, threads{})
		m := newThreadMeter(root, 7)
		defer m.close()
		for range rapid.IntRange(1, 6).Draw(t, "readings") {
			now := threads{}
			for id := range 3 {
				name := fmt.Sprint(id)
				if !rapid.Bool().Draw(t, "there") {
					delete(ran, name)
					continue
				}
				more := rapid.Uint64Range(0, 100).Draw(t, "more")
				ran[name] += more
				done += more
				now[name] = fmt.Sprintf("%d 0 1\n", ran[name])
			}
			before := m.cpu
			place(outer, root, now)
			if _, err := m.read(); (err == nil) != (len(now) > 0) || m.cpu < before || m.cpu > done {
				t.Fatalf("%d after %d, done %d, %v", m.cpu, before, done, err)
			}
		}
	})
}

// An id that was given to another process is not the process that was watched.
func TestThreadMeterOtherProcess(t *testing.T) {
	root := t.TempDir()
	place(t, root, threads{"7": "5 2 1\n"})
	m := newThreadMeter(root, 7)
	defer m.close()
	before, err := m.read()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(root+"/proc/7", root+"/proc/ended"); err != nil {
		t.Fatal(err)
	}
	place(t, root, threads{"7": "1000 1000 1000\n", "8": "1 1 1\n"})
	if now, err := m.read(); err != nil || now != before {
		t.Errorf("%+v, then %+v, %v", before, now, err)
	}
}

// A watch that was stopped holds nothing open.
func TestThreadMeterCloses(t *testing.T) {
	before := hosttest.OpenFiles(t)
	m := newThreadMeter("/", os.Getpid())
	if _, err := m.read(); err != nil {
		t.Fatal(err)
	}
	if during := hosttest.OpenFiles(t); during <= before {
		t.Fatalf("%d files open, then %d", before, during)
	}
	m.close()
	if after := hosttest.OpenFiles(t); after != before {
		t.Errorf("%d files open, then %d", before, after)
	}
	newThreadMeter("/", 1<<30).close()
}
