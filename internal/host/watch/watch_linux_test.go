package watch

import (
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"plinth/internal/host/hosttest"
)

// manual is a watch that reads when the test says so.
func manual(now func() (time.Duration, time.Time)) (w *Watch, tick chan time.Time, reads *atomic.Int32) {
	tick, reads = make(chan time.Time), new(atomic.Int32)
	read := func() (r reading) {
		reads.Add(1)
		return r
	}
	return newWatch(read, clocks{time.Now(), now}, tick, func() {}), tick, reads
}

func TestWatchReadsAtOnceAndWhenItStops(t *testing.T) {
	var at time.Duration
	w, tick, reads := manual(func() (time.Duration, time.Time) {
		at += time.Second / 2
		return at, epoch.Add(at)
	})
	if reads.Load() != 1 {
		t.Fatalf("%d readings at first", reads.Load())
	}
	tick <- time.Time{}
	tick <- time.Time{}
	w.Stop()
	w.Stop()
	if reads.Load() != 4 {
		t.Fatalf("%d readings", reads.Load())
	}
	select {
	case tick <- time.Time{}:
		t.Fatal("a stopped watch listens")
	default:
	}
	if u, err := w.Between(epoch, epoch.Add(time.Hour)); err != nil || u.Covered != 3*time.Second {
		t.Errorf("covered %v, %v", u.Covered, err)
	}
}

// Somebody sets the clock back by an hour between two readings: the window is
// found, and is as long as it was.
func TestWatchClockSteppedBetweenReadings(t *testing.T) {
	at, step := time.Duration(0), time.Duration(0)
	w, tick, _ := manual(func() (time.Duration, time.Time) { return at, epoch.Add(at + step) })
	for range 9 {
		at += time.Second
		if at == 5*time.Second {
			step = -time.Hour
		}
		taken := w.count()
		tick <- time.Time{}
		hosttest.WaitFor(t, "a reading", func() bool { return w.count() > taken })
	}
	w.Stop()
	u, err := w.Between(epoch.Add(2*time.Second), epoch.Add(8*time.Second-time.Hour))
	if err != nil || u.Covered != 6*time.Second {
		t.Errorf("covered %v, %v", u.Covered, err)
	}
}

func (w *Watch) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.readings)
}

// Who asks while the watch goes on gets an answer.
func TestWatchPace(t *testing.T) {
	began := time.Now()
	w := New(os.Getpid(), 0) // and is held back to its shortest pace
	hosttest.WaitFor(t, "five readings", func() bool { return w.count() >= 5 })
	if u, err := w.Between(began, time.Now()); err != nil || u.Covered <= 0 || u.CPUs < 1 {
		t.Errorf("%+v, %v", u, err)
	}
	w.Stop()
	// One reading each at the beginning, when the ticks begin anew, and at the end.
	if n, took := w.count(), time.Since(began); n > int(took/shortestPace)+3 {
		t.Errorf("%d readings in %v, with a pace of %v", n, took, shortestPace)
	}
}

// clockSkew is how much faster than the monotonic clock, which NTP corrects, the
// scheduler's clock may run.
const clockSkew = 1.01

// A process that burns one CPU is seen to do so.
func TestWatchBurner(t *testing.T) {
	began := time.Now()
	p := startHelper(t, "burner", "THREADS=1")
	w := New(p.PID(), shortestPace)
	defer w.Stop()
	var u Usage
	hosttest.WaitFor(t, "a tenth of a second of CPU time", func() bool {
		u, _ = w.Between(began, time.Now())
		return u.Process.CPU > 0.1
	})
	took := time.Since(began).Seconds()
	// Threads of the Go runtime may use other CPUs.
	if most := clockSkew * took * float64(runtime.NumCPU()); u.Process.CPU > most || u.Process.Threads < 2 {
		t.Errorf("more than %v s of CPU time in %v s, or no threads: %+v", most, took, u.Process)
	}
	if u.User+u.System <= 0 {
		t.Errorf("the machine did nothing: %+v", u)
	}
}

// Two busy threads on one CPU wait for each other; no thread runs and waits for longer
// than it is there.
func TestWatchWaiting(t *testing.T) {
	began := time.Now()
	p := startHelper(t, "burner", "THREADS=2")
	w := New(p.PID(), shortestPace)
	defer w.Stop()
	var u Usage
	hosttest.WaitFor(t, "a tenth of a second of waiting", func() bool {
		u, _ = w.Between(began, time.Now())
		return u.Process.Waiting > 0.1
	})
	took := time.Since(began).Seconds()
	if busy, most := u.Process.CPU+u.Process.Waiting, clockSkew*took*float64(u.Process.Threads); busy > most {
		t.Errorf("%d threads ran and waited for %v s in %v s: %+v", u.Process.Threads, busy, took, u.Process)
	}
}

// A process that ends is judged by what it did until then.
func TestWatchProcessEnds(t *testing.T) {
	p := startHelper(t, "burner", "THREADS=1")
	began := time.Now()
	w := New(p.PID(), 20*time.Millisecond)
	defer w.Stop()
	var u Usage
	hosttest.WaitFor(t, "a twentieth of a second of CPU time", func() bool {
		u, _ = w.Between(began, time.Now())
		return u.Process.CPU > 0.05
	})
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	alive, ended, read := u.Process, time.Now(), w.count()
	hosttest.WaitFor(t, "readings after the end", func() bool { return w.count() > read+5 })
	u, err := w.Between(began, time.Now())
	if err != nil || u.Process.CPU < alive.CPU || u.Process.Covered >= u.Covered {
		t.Errorf("%+v, then %+v, %v", alive, u, err)
	}
	u, err = w.Between(ended, time.Now())
	if err != nil || u.Process != (ProcessUsage{}) || len(u.Gaps) == 0 || u.Gaps[len(u.Gaps)-1] != (Gap{What: "process", Why: errGone.Error()}) {
		t.Errorf("after the end: %+v, %v", u, err)
	}
}
