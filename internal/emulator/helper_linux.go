package emulator

import "sync"

// helperCount is the number of helpers: as many operations on the backing file can be slow at
// once before others have to wait for them.
const helperCount = 16

// helpers are threads for work that would block the front.
type helpers struct {
	mu   sync.Mutex
	work []*request // waiting for a free helper, oldest first
	free []*helper  // a stack: the helper that became free last is still awake
}

type helper struct {
	bell bell
	nap  nap
	work *request // assigned by the front; guarded by helpers.mu
}

// begin starts the helpers, which call do for each request.
func (h *helpers) begin(do func(*request)) {
	for range helperCount {
		go func() {
			for one := (&helper{nap: restedNap()}); ; {
				do(h.next(one))
			}
		}()
	}
}

// assign hands r to a helper, or queues it if none is free.
func (h *helpers) assign(r *request) {
	h.mu.Lock()
	last := len(h.free) - 1
	if last < 0 {
		h.work = append(h.work, r)
		h.mu.Unlock()
		return
	}
	one := h.free[last]
	h.free = h.free[:last]
	one.work = r
	h.mu.Unlock()
	one.bell.ring()
}

// next waits for the next request for this helper.
func (h *helpers) next(one *helper) *request {
	if r := h.left(one); r != nil {
		return r
	}
	for {
		rung := one.bell.rung.Load()
		if r := h.given(one); r != nil {
			one.nap.worked()
			return r
		}
		one.bell.wait(rung, one.nap.longest())
		one.nap.idled()
	}
}

// left returns a queued request, or marks this helper as free if none is left.
func (h *helpers) left(one *helper) *request {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.work) == 0 {
		h.free = append(h.free, one)
		return nil
	}
	r := h.work[0]
	h.work = h.work[1:]
	return r
}

func (h *helpers) given(one *helper) *request {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := one.work
	one.work = nil
	return r
}
