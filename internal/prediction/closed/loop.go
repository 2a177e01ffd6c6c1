package closed

import (
	"time"

	"plinth/internal/device"
)

// Loop describes a server whose only thread serves all clients in turns, as Redis does: it looks which connections are
// ready, executes their requests, writes what they changed to the append-only file and syncs it, and sends the
// replies (Redis, src/server.c, beforeSleep). What comes during a turn waits for the next one. A client
// sends one request at once, or a pipeline of them: that is a transaction of such a system.
type Loop struct {
	// Wake is the time after which a thread runs that slept until there was something to do.
	Wake time.Duration
	// Turn is the CPU time of a turn beside that of its requests, and of a thread of the load generator each time that it
	// wakes up: both ask the kernel which connections are ready.
	Turn time.Duration
	// Follow is the CPU time of a replica for a transaction. It has one thread, and no transaction waits for it.
	Follow time.Duration `json:",omitempty"`
	// Metadata lists the requests of a sync to the disk that follow the data, one after the other: the filesystem's
	// journal, and flushes of the disk's cache.
	Metadata []device.Request
	// Together is the share of the turns that have the requests of all clients; the others have those of half of them
	// at least. With 0, a turn has what has come: requests that come too late for one turn are together in the next.
	// With real schedulers it depends on which thread wakes up first, and where, and stays as it is for seconds.
	Together float64
}

// PageSize is the size in bytes up to which writes of the append-only file are rounded.
const PageSize = 4 << 10

// loop is the state of the server's thread.
type loop struct {
	awake bool
	began time.Duration    // when it was given its CPU
	ready []*client        // whose requests wait for the next turn
	turn  []*client        // whose requests are in this turn
	next  int              // of this turn
	least int              // how many requests it waits for, asleep
	wrote int              // how many of this turn append to the file
	steps []device.Request // of the sync, that are left

	behind    time.Duration // CPU time of what the replica has not executed yet
	following bool          // the replica executes something
}

// arrive notes that a client's requests have arrived. They wake up a thread that sleeps.
func (m *model) arrive(c *client) {
	l := &m.loop
	m.move(c, LoopWait)
	l.ready = append(l.ready, c)
	if !l.awake && len(l.ready) >= l.least {
		l.awake = true
		m.wake(&m.cpus, (*model).awoken)
	}
}

// wake calls then when a thread that slept has a CPU.
func (m *model) wake(cpus *pool, then func(*model, *client)) {
	m.at(m.now+m.random.spread(m.Loop.Wake), func(m *model, _ *client) { cpus.take(m, nil, then) }, nil)
}

// turn begins a turn with all requests that have arrived, or sleeps until there are some.
func (m *model) turn() {
	l := &m.loop
	l.least = 1
	if m.Loop.Together > 0 {
		l.least = (m.Clients + 1) / 2
		if m.random.Float64() < m.Loop.Together {
			l.least = m.Clients
		}
	}
	if len(l.ready) >= l.least {
		m.take()
		return
	}
	l.awake = false
	m.cpus.release(m)
}

// awoken begins a turn of a thread that slept. It has a CPU.
func (m *model) awoken(*client) {
	m.loop.began = m.now
	m.take()
}

// take takes the requests that have arrived into a turn.
func (m *model) take() {
	l := &m.loop
	l.turn, l.ready = l.ready, l.turn[:0]
	l.next, l.wrote = 0, 0
	if m.counting {
		m.result.Turns++
	}
	m.moveTurn(InLoop)
	m.work(m.Loop.Turn, (*model).execute)
}

func (m *model) moveTurn(place string) {
	for _, c := range m.loop.turn {
		m.move(c, place)
	}
}

// work uses the thread's CPU for a time, and then calls then. The thread lets others have the CPU after a slice.
func (m *model) work(time time.Duration, then func(*model, *client)) {
	m.at(m.now+time, func(m *model, _ *client) {
		if m.counting {
			m.cpus.used += time
		}
		if m.now-m.loop.began < slice || len(m.cpus.urgent)+len(m.cpus.queue) == 0 {
			then(m, nil)
			return
		}
		m.cpus.release(m)
		m.cpus.take(m, nil, func(m *model, _ *client) {
			m.loop.began = m.now
			then(m, nil)
		})
	}, nil)
}

// execute reads and executes the requests of a turn, which takes half of their CPU time; sending the replies takes
// the other half.
func (m *model) execute(*client) {
	l := &m.loop
	if l.next == len(l.turn) {
		m.appendFile()
		return
	}
	l.next++
	if m.WALBytes > 0 && (m.Commits >= 1 || m.random.Float64() < m.Commits) {
		l.wrote++
	}
	m.work(m.random.spread(m.Server/2), (*model).execute)
}

// appendFile writes what a turn appends to the file. All of its replies wait until that is on the disk.
func (m *model) appendFile() {
	l := &m.loop
	l.next = 0
	if l.wrote == 0 {
		m.reply()
		return
	}
	m.moveTurn(Append)
	m.cpus.release(m)
	// The file ends in the middle of a page, which is written again.
	pages := int64(m.WALBytes*float64(l.wrote)/PageSize+m.random.Float64()) + 1
	l.steps = m.Loop.Metadata
	m.step(device.Request{Kind: device.Write, Offset: m.random.offset(), Size: pages * PageSize})
}

// step waits for a request of the sync, and continues with the next one.
func (m *model) step(r device.Request) {
	done := m.submit(m.wal, r)
	if done > m.now { // a thread waits for it
		done += m.random.spread(m.Loop.Wake)
	}
	m.at(done, func(m *model, _ *client) {
		l := &m.loop
		if len(l.steps) == 0 {
			m.cpus.take(m, nil, (*model).synced)
			return
		}
		r := l.steps[0]
		l.steps = l.steps[1:]
		r.Offset = m.random.offset()
		m.step(r)
	}, nil)
}

// synced ends a sync with the CPU time that it takes.
func (m *model) synced(*client) {
	m.loop.began = m.now
	m.work(m.Sync, func(m *model, _ *client) {
		if m.counting {
			m.result.Flushes++
		}
		m.moveTurn(InLoop)
		m.reply()
	})
}

// reply sends the replies of a turn, one after the other. Each client that has its reply begins anew, while the thread
// sends the others.
func (m *model) reply() {
	l := &m.loop
	if l.next == len(l.turn) {
		m.turn()
		return
	}
	m.work(m.random.spread(m.Server/2), func(m *model, _ *client) {
		c := m.loop.turn[m.loop.next]
		m.loop.next++
		m.end(c)
		m.reply()
	})
}

// follow lets the replica execute what it is behind by.
func (m *model) follow() {
	l := &m.loop
	if l.following || l.behind == 0 {
		return
	}
	l.following = true
	m.others.take(m, nil, func(m *model, _ *client) {
		time := min(m.loop.behind, slice)
		m.loop.behind -= time
		m.at(m.now+time, func(m *model, _ *client) {
			if m.counting {
				m.others.used += time
			}
			m.others.release(m)
			m.loop.following = false
			m.follow()
		}, nil)
	})
}
