package pgbench

import (
	"sync"
	"time"
)

// margin is waited beyond the window, so that its last second is whole.
const margin = 20 * time.Millisecond

// horizon knows when the measured window is over, by plinth's own clock. It is
// fed with bounds: moments at or after which the load cannot have begun. Every
// piece of the log gives one (its arrival less the time that the log covers),
// and so does a progress line that tells of transactions (its arrival less their
// mean latency); the earliest is the best. In this way nothing depends on whether the clock of the machine that
// pgbench runs on agrees with this one.
type horizon struct {
	length  time.Duration // from the first transaction to the end; 0 for no end
	changed chan struct{}

	mu    sync.Mutex
	begun time.Time // the earliest bound; zero before there is one
}

func newHorizon(w window) *horizon {
	h := &horizon{changed: make(chan struct{}, 1)}
	if w.length > 0 {
		h.length = time.Duration(w.warmup+w.length)*time.Microsecond + margin
	}
	return h
}

// atMost says that the load had begun at this moment.
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

// left is the time until the window is over.
func (h *horizon) left() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Until(h.begun.Add(h.length))
}
