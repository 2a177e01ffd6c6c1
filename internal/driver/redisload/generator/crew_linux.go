package generator

import (
	"encoding/binary"
	"io"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// crew is all threads of a load.
type crew struct {
	load    *load
	threads []*thread
	origin  time.Time // set before start is closed
	start   chan struct{}
	met     chan error // from each thread, when its clients are connected
	ended   chan error // from each thread, when it has ended
	running int
}

// connect starts the threads and waits until all their clients are connected.
func (w *crew) connect(templates []template) (failed error) {
	for i := range w.load.config.Threads {
		t, err := w.load.newThread(i, templates)
		if err != nil {
			return err
		}
		w.threads = append(w.threads, t)
		w.running++
		go w.run(t)
	}
	for range w.threads {
		if err := <-w.met; err != nil && failed == nil {
			failed = err
		}
	}
	return failed
}

// run runs a thread: it connects its clients and drives them.
func (w *crew) run(t *thread) {
	runtime.LockOSThread() // never unlocked: the thread exits with the goroutine
	defer close(t.full)
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) // timers are rounded up by 1 ns, not 50 µs
	err := t.connect()
	w.met <- err
	<-w.start
	if err == nil && !w.load.stopped.Load() {
		err = t.drive(w.origin)
	}
	if err != nil {
		w.load.stopped.Store(true)
	}
	w.ended <- err
}

// report writes each second once all threads have passed it. It ends with the last thread,
// or with the first that fails.
func (w *crew) report(to io.Writer) error {
	var out []byte
	told := false
	for s, of := w.collect(); s != nil; s, of = w.collect() {
		out = frame(out[:0], frameSecond, func(b []byte) []byte { return appendSecond(b, s) })
		if first := w.load.refusal.Load(); first != nil && !told {
			told = true
			out = frame(out, frameRefused, func(b []byte) []byte { return appendStrings(b, *first) })
		}
		_, err := to.Write(out)
		of.giveBack(s)
		if err != nil {
			return err
		}
	}
	if err := w.wait(); err != nil {
		return err
	}
	_, err := to.Write(frame(out[:0], frameEnd, w.appendEnd))
	return err
}

// collect merges the next second of all threads into that of the first thread that has one;
// nil when all have ended.
func (w *crew) collect() (all *Second, of *thread) {
	for _, t := range w.threads {
		s, there := <-t.full
		switch {
		case !there:
		case all == nil:
			all, of = s, t
		default:
			all.merge(s)
			t.giveBack(s)
		}
	}
	return all, of
}

// giveBack returns the memory of a second for reuse.
func (t *thread) giveBack(s *Second) {
	select {
	case t.empty <- s:
	default:
	}
}

// wait waits for all threads and returns the first error.
func (w *crew) wait() (failed error) {
	for ; w.running > 0; w.running-- {
		if err := <-w.ended; err != nil && failed == nil {
			failed = err
		}
	}
	return failed
}

func (w *crew) appendOrigin(b []byte) []byte {
	b = binary.AppendVarint(b, w.origin.UnixNano())
	return binary.AppendVarint(b, int64(w.load.config.Warmup))
}

func (w *crew) appendEnd(b []byte) []byte {
	var e End
	for _, t := range w.threads {
		e.Cut += t.end.Cut
		e.Unfinished = max(e.Unfinished, t.end.Unfinished)
	}
	return binary.AppendVarint(binary.AppendVarint(b, e.Unfinished), e.Cut)
}

// release stops threads that still run, and closes all connections.
func (w *crew) release() {
	w.load.stopped.Store(true)
	select {
	case <-w.start:
	default:
		close(w.start)
	}
	for _, t := range w.threads {
		for range t.full { // it may be blocked on sending
		}
	}
	_ = w.wait()
	for _, t := range w.threads {
		t.close()
	}
}

func (t *thread) close() {
	for i := range t.clients {
		if c := &t.clients[i]; c.fd >= 0 {
			_ = unix.Close(c.fd)
		}
	}
	_ = unix.Close(t.epoll)
}
