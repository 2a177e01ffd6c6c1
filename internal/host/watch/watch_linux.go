package watch

import (
	"sync"
	"time"
)

// Watch reads a machine and one process a few times a second, until it is
// stopped. It keeps all readings, some 250 bytes each.
type Watch struct {
	read  func() reading
	clock clocks

	mu       sync.Mutex
	readings []reading

	stop    chan struct{}
	stopped chan struct{}
	once    sync.Once
}

// shortestPace is as fast as a watch may read; faster, it would be a load of
// its own.
const shortestPace = 20 * time.Millisecond

// New reads this machine and the process pid at once, and then again every
// so often, at most fifty times a second. What can't be read is told by Between. The
// time of idle threads counts as idle. It must be stopped.
func New(pid int, every time.Duration, idle ...IdleThread) *Watch {
	every = max(every, shortestPace)
	ticker := time.NewTicker(every)
	together := time.AfterFunc(UntilTick(every), func() { ticker.Reset(every) })
	m := newMeter("/", pid, idle...)
	began := time.Now()
	clock := clocks{began, func() (time.Duration, time.Time) {
		now := time.Now()
		return now.Sub(began), now.Round(0)
	}}
	return newWatch(m.read, clock, ticker.C, func() {
		together.Stop()
		ticker.Stop()
		m.close()
	})
}

func newWatch(read func() reading, c clocks, tick <-chan time.Time, release func()) *Watch {
	w := &Watch{read: read, clock: c, stop: make(chan struct{}), stopped: make(chan struct{})}
	w.take()
	go w.loop(tick, release)
	return w
}

func (w *Watch) loop(tick <-chan time.Time, release func()) {
	defer close(w.stopped)
	defer release()
	for {
		select {
		case <-tick:
			w.take()
		case <-w.stop:
			w.take() // so that the last moments are covered
			return
		}
	}
}

// take reads once. The time of a reading is the middle of it.
func (w *Watch) take() {
	before, _ := w.clock.now()
	r := w.read()
	at, wall := w.clock.now()
	half := (at - before) / 2
	r.at, r.wall = at-half, wall.Add(-half)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.readings = append(w.readings, r)
}

// Stop reads a last time and ends the watch. When it returns, nothing is read
// any more; what was read can still be asked for. It may be called again.
func (w *Watch) Stop() {
	w.once.Do(func() { close(w.stop) })
	<-w.stopped
}
