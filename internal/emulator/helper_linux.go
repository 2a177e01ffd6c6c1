package emulator

import "sync"

// helperCount is how many helpers there are: as many operations of the backing file
// can be slow at once without others having to wait for them.
const helperCount = 16

// helpers are threads that do what the front must not wait for.
type helpers struct {
	mu   sync.Mutex
	work []*request // that no helper was free for, oldest first
	free []*helper  // the one that became free last is asked first: it is awake still
}

type helper struct {
	bell bell
	nap  nap
	work *request // what the front has given it; guarded by helpers.mu
}

// begin starts the helpers. do is their work.
func (h *helpers) begin(do func(*request)) {
	for range helperCount {
		go func() {
			for one := (&helper{nap: restedNap()}); ; {
				do(h.next(one))
			}
		}()
	}
}

// assign has r done by somebody.
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

// next is what one has to do next, once there is something.
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

// left is what nobody was free for before. When nothing is left, one is free.
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
