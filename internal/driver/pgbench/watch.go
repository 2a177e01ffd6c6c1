package pgbench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"syscall"
	"time"

	"plinth/internal/host/launch"
)

// watch waits for pgbench's exit and stops it when the window is over. It returns once
// pgbench has exited or was stopped.
func (r *run) watch(ctx context.Context, p launch.Process) error {
	timer := time.NewTimer(r.horizon.latest())
	defer timer.Stop()
	aborted, changed := r.aborted, r.horizon.changed
	for {
		select {
		case <-p.Done():
			return nil
		case <-ctx.Done():
			return errors.Join(ctx.Err(), p.Stop())
		case <-changed:
			timer.Reset(r.horizon.left())
		case <-aborted: // the other clients would continue in vain
			aborted, changed = nil, nil
			_ = alarm(p)
			timer.Reset(lastWords)
		case <-timer.C:
			switch {
			case aborted == nil:
				return p.Stop()
			case r.alarmed:
				return errors.Join(errNoEnd, p.Stop())
			}
			changed = nil
			r.alarmed = alarm(p) == nil
			timer.Reset(drainTime)
		}
	}
}

// alarm ends pgbench's load. Its -T uses alarm(2), whose handler makes every client finish
// its transaction; the summary follows as usual.
func alarm(p launch.Process) error { return p.Signal(syscall.SIGALRM) }

const (
	// drainTime is how long the last transactions may take to end.
	drainTime = 5 * time.Minute

	// lastWords is how long the remaining clients may take once one of them was aborted:
	// they may have the better explanation.
	lastWords = 2 * time.Second
)

var errNoEnd = fmt.Errorf("cannot finish the run: transactions did not end within %s after the measurement", drainTime)

// margin is added to the window, so that its last second is whole.
const margin = 20 * time.Millisecond

// horizon knows when the measured window is over, by plinth's own clock. It collects upper
// bounds of the start of the load: each piece of the log gives one (its arrival minus the
// time that the log covers), and so does a progress line with transactions (its arrival
// minus their mean latency); the earliest is the best. So nothing depends on whether the
// clock of the machine that pgbench runs on agrees with this one.
//
// An agreed window ends at a known time.
type horizon struct {
	length  time.Duration // from the first transaction to the end; 0 for no end
	end     time.Time     // of an agreed window; else zero
	changed chan struct{}

	mu    sync.Mutex
	begun time.Time // the earliest bound; zero before the first
}

func newHorizon(w window) *horizon {
	h := &horizon{changed: make(chan struct{}, 1)}
	switch {
	case w.length > 0 && w.agreed > 0:
		h.end = time.UnixMicro(w.agreed + w.length).Add(margin)
		h.changed <- struct{}{}
	case w.length > 0:
		h.length = time.Duration(w.warmup+w.length)*time.Microsecond + margin
	}
	return h
}

// atMost records that the load had begun by this moment.
func (h *horizon) atMost(begun time.Time) {
	if h.length == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.begun.IsZero() && !begun.Before(h.begun) {
		return
	}
	h.begun = begun
	select {
	case h.changed <- struct{}{}:
	default:
	}
}

// latest returns the time after which a load is stopped even if no transaction has ended, so that it is not known when the load
// began: all may wait for a lock, or for a standby that is gone.
func (h *horizon) latest() time.Duration {
	if h.length == 0 {
		return math.MaxInt64 // an agreed window, whose end is known, or a number of transactions
	}
	return h.length + drainTime
}

// left returns the time until the window is over.
func (h *horizon) left() time.Duration {
	if !h.end.IsZero() {
		return time.Until(h.end)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Until(h.begun.Add(h.length))
}
