package emulator

import "time"

// queue holds requests until they are to be answered: a heap, the earliest first.
type queue []*request

func (q *queue) push(r *request) {
	h := append(*q, r)
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if h[parent].due <= h[i].due {
			break
		}
		h[parent], h[i] = h[i], h[parent]
		i = parent
	}
	*q = h
}

func (q *queue) pop() *request {
	h := *q
	first, last := h[0], len(h)-1
	h[0], h[last] = h[last], nil
	h = h[:last]
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < last; child++ {
			if h[child].due < h[least].due {
				least = child
			}
		}
		if least == i {
			break
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
	*q = h
	return first
}

// next is when the earliest answer is due.
func (q queue) next() (due time.Duration, waits bool) {
	if len(q) == 0 {
		return 0, false
	}
	return q[0].due, true
}
