package closed

import "time"

// pool is a number of CPUs. What is urgent comes first: an emulator has a real-time priority (sched(7)), and what no
// transaction waits for is there at any time. The others are served at random: if who comes first were served first, those
// of a group commit would stay together, each committing just after the next flush began; with real schedulers they mix,
// though less than at random (System.Fair).
type pool struct {
	free   int
	used   time.Duration // since counting began
	urgent []waiting
	queue  []waiting
}

type waiting struct {
	client *client // nil for the background and the load generator
	then   func(*model, *client)
	since  time.Duration
}

// take calls then as soon as a CPU is free. Without a client, it is urgent.
func (p *pool) take(m *model, c *client, then func(*model, *client)) {
	queue := &p.queue
	if c == nil {
		queue = &p.urgent
	}
	p.await(m, queue, c, then)
}

// await calls then when a CPU is free and it is the turn of this one of the queue.
func (p *pool) await(m *model, queue *[]waiting, c *client, then func(*model, *client)) {
	if p.free > 0 {
		p.free--
		then(m, c)
		return
	}
	if c != nil {
		m.move(c, CPUWait)
	}
	*queue = append(*queue, waiting{c, then, m.now})
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
		if m.Fair {
			if j := m.random.IntN(len(all)); all[j].since < all[i].since {
				i = j
			}
		}
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
				cpus.used += time
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
	awake, woken bool // woken: the CPU time of waking up is not spent yet
	queue        []*client
}

func (t *thread) send(m *model, c *client) {
	m.move(c, Thread)
	t.queue = append(t.queue, c)
	if t.awake {
		return
	}
	t.awake, t.woken = true, true
	if m.counting {
		m.result.Wakes++
	}
	run := func(m *model, _ *client) { t.run(m) }
	if m.Loop != nil {
		m.wake(m.others, run)
		return
	}
	m.others.await(m, &m.others.queue, nil, run)
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
	if t.woken && m.Loop != nil {
		time += m.Loop.Turn
	}
	t.woken = false
	m.at(m.now+time, func(m *model, c *client) {
		if m.counting {
			m.others.used += time
		}
		m.serve(c)
		t.run(m)
	}, c)
}
