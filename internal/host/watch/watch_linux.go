package watch

import (
	"sync"
	"time"
)

// Watch reads a machine and one process a few times a second until it is stopped. It keeps
// all readings, about 250 bytes each.
type Watch struct {
	read  func() reading
	clock clocks

	mu       sync.Mutex
	readings []reading

	stop    chan struct{}
	stopped chan struct{}
	once    sync.Once
}

// shortestPace is the minimum interval of a watch: with a shorter one the watch itself would
// be a noticeable load.
const shortestPace = 20 * time.Millisecond

// New returns a watch that reads this machine and the process pid immediately and then at
// the given interval, at most fifty times a second. Between reports what cannot be read. The
// time of idle threads counts as idle. The caller must call Stop.
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
			w.take() // covers the time since the last tick
			return
		}
	}
}

// take reads once. The time of a reading is its midpoint.
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

// Stop takes a last reading and ends the watch. Between can still be called afterwards. Stop
// may be called again.
func (w *Watch) Stop() {
	w.once.Do(func() { close(w.stop) })
	<-w.stopped
}
