package closed

import "time"

// event is a call that is due at a simulated time. Its client is nil if it concerns none.
type event struct {
	at     time.Duration
	n      uint64 // events of the same time happen in the order in which they were made
	do     func(*model, *client)
	client *client
}

func (e event) before(o event) bool { return e.at < o.at || e.at == o.at && e.n < o.n }

// events is a binary heap of what will happen, the earliest first. That of package container/heap allocates
// memory for each event.
type events []event

func (m *model) at(at time.Duration, do func(*model, *client), c *client) {
	m.made++
	e := append(m.events, event{at, m.made, do, c})
	i := len(e) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !e[i].before(e[parent]) {
			break
		}
		e[i], e[parent] = e[parent], e[i]
		i = parent
	}
	m.events = e
}

// pop removes the earliest event.
func (e *events) pop() event {
	all := *e
	first, last := all[0], len(all)-1
	all[0] = all[last]
	all[last] = event{}
	all = all[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child+1 < last && all[child+1].before(all[child]) {
			child++
		}
		if child >= last || !all[child].before(all[i]) {
			break
		}
		all[i], all[child] = all[child], all[i]
		i = child
	}
	*e = all
	return first
}
