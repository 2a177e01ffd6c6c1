package closed

import "time"

// pool is a number of CPUs. What is urgent comes first: a process that slept for a disk preempts those that
// compute, and an emulator has a real-time priority (sched(7)). The others are served at random: if who comes
// first were served first, those of a group commit would stay together, each committing just after the next
// flush began; with real schedulers they mix.
type pool struct {
	free   int
	urgent []waiting
	queue  []waiting
}

type waiting struct {
	client *client // nil for the background
	then   func(*model, *client)
}

// take calls then as soon as a CPU is free.
func (p *pool) take(m *model, c *client, then func(*model, *client)) {
	if p.free > 0 {
		p.free--
		then(m, c)
		return
	}
	if c == nil {
		p.urgent = append(p.urgent, waiting{c, then})
		return
	}
	m.move(c, CPUWait)
	p.queue = append(p.queue, waiting{c, then})
}

// release gives a CPU back.
func (p *pool) release(m *model) {
	queue := &p.urgent
	if len(*queue) == 0 {
		queue = &p.queue
	}
	if len(*queue) == 0 {
		p.free++
		return
	}
	all := *queue
	next := all[0]
	if queue == &p.queue {
		i := m.random.IntN(len(all))
		next = all[i]
		all[i] = all[len(all)-1]
		*queue = all[:len(all)-1]
	} else {
		*queue = all[1:]
	}
	next.then(m, next.client)
}

// compute uses a CPU for a time, and then calls then.
func (m *model) compute(cpus *pool, c *client, time time.Duration, then func(*model, *client)) {
	cpus.take(m, c, func(m *model, c *client) {
		if c != nil {
			m.move(c, CPU)
		}
		m.at(m.now+time, func(m *model, c *client) {
			if m.counting {
				m.used += time
			}
			cpus.release(m)
			then(m, c)
		}, c)
	})
}

// slice is how long the background uses a CPU at a time.
const slice = time.Millisecond

// background uses the CPUs now and then.
func (m *model) background(*client) {
	m.charge(slice)
	m.at(m.now+m.random.exponential(time.Duration(float64(slice)/m.Background)), (*model).background, nil)
}

// charge uses a CPU for what no transaction waits for.
func (m *model) charge(time time.Duration) { m.compute(m.others, nil, time, func(*model, *client) {}) }

// thread is a thread of the load generator. It wakes up for a client, and then serves all that wait before it
// sleeps again.
type thread struct {
	awake bool
	queue []*client
}

func (t *thread) send(m *model, c *client) {
	m.move(c, Thread)
	t.queue = append(t.queue, c)
	if t.awake {
		return
	}
	t.awake = true
	run := func(m *model, _ *client) { t.run(m) }
	if m.Loop != nil {
		m.wake(m.others, run)
		return
	}
	m.others.take(m, nil, run)
}

// run sends the statement of the first client that waits. The thread has a CPU.
func (t *thread) run(m *model) {
	if len(t.queue) == 0 {
		t.awake = false
		m.others.release(m)
		return
	}
	c := t.queue[0]
	t.queue = t.queue[1:]
	m.move(c, CPU)
	time := m.random.spread(m.Client / time.Duration(m.Statements))
	m.at(m.now+time, func(m *model, c *client) {
		if m.counting {
			m.used += time
		}
		m.serve(c)
		t.run(m)
	}, c)
}
