package device

import "time"

// slots are what a device works on at once: when each of them is free, the
// earliest first (a binary heap, without container/heap's allocations). None at all
// stand for any number.
type slots []time.Duration

// ready is when a request that came at now gets a slot.
func (s slots) ready(now time.Duration) time.Duration {
	if len(s) == 0 {
		return now
	}
	return max(now, s[0])
}

// take gives the earliest slot to a request that is done then.
func (s slots) take(done time.Duration) {
	if len(s) == 0 {
		return
	}
	i := 0
	for {
		child := 2*i + 1
		if child+1 < len(s) && s[child+1] < s[child] {
			child++
		}
		if child >= len(s) || s[child] >= done {
			break
		}
		s[i], i = s[child], child
	}
	s[i] = done
}
