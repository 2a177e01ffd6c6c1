package closed

import (
	"cmp"
	"time"

	"plinth/internal/device"
)

// Length limits a simulation: it ends after so much simulated time or so many transactions, whichever is
// first; 0 for no limit. What ends during WarmUp is not counted.
type Length struct {
	WarmUp, Time time.Duration
	Transactions int
}

// Run simulates a system.
func Run(s System, seed uint64, l Length) Result {
	m := newModel(s, seed)
	for i := range m.clients {
		if s.Think == 0 {
			m.begin(&m.clients[i])
			continue
		}
		m.at(time.Duration(m.random.Float64()*float64(s.Think)), (*model).begin, &m.clients[i]) // they do not all wake up at once
	}
	if s.Background > 0 {
		m.at(0, (*model).background, nil)
	}
	for len(m.events) > 0 {
		e := m.events.pop()
		if l.Time > 0 && e.at > l.WarmUp+l.Time || l.Transactions > 0 && m.result.Transactions >= l.Transactions {
			break
		}
		m.now = e.at
		if !m.counting && m.now >= l.WarmUp {
			m.start()
		}
		e.do(m, e.client)
	}
	return m.finish()
}

// client is one client and its transaction.
type client struct {
	began     time.Duration
	statement int
	reads     int // that are left to this statement
	lock      int // the next of Demand.Locks
	held      []*row
	thread    *thread // of the load generator
	place     string  // where it is
	since     time.Duration
}

// row is a row that transactions lock. It is handed over in the order in which they came.
type row struct {
	holder *client
	queue  []*client
}

type model struct {
	System
	random    draw
	now       time.Duration
	events    events
	made      uint64
	clients   []client
	data, wal *device.Station
	cpus      pool  // of the server
	others    *pool // of all else: the same, or their own
	threads   []thread
	rows      [][]row // of each lock
	loop      loop

	dirty     int64         // bytes that wait for the write-back
	nextWrite time.Duration // when it may write again
	idleWrite time.Duration // twice the time of a write on an idle disk

	flushing bool
	group    []*client // wait for the next flush
	flushed  []*client // wait for the present one

	counting bool
	counted  time.Duration // when counting began
	spent    map[string]time.Duration
	result   Result
	base     [2]device.Used
}

func newModel(s System, seed uint64) *model {
	s.Statements = max(1, s.Statements)
	m := &model{
		System: s, random: newDraw(seed), clients: make([]client, s.Clients), cpus: pool{free: s.CPUs},
		data: device.NewStation(s.Data, seed), spent: map[string]time.Duration{}, result: Result{InFlight: map[string]float64{}},
	}
	if s.Threads <= 0 || s.Threads > s.Clients {
		s.Threads = s.Clients
	}
	m.threads = make([]thread, s.Threads)
	for i := range m.clients {
		m.clients[i].thread = &m.threads[i%s.Threads]
	}
	m.others = &m.cpus
	if s.Others > 0 {
		m.others = &pool{free: s.Others}
	}
	m.wal = m.data
	if s.WAL != nil {
		m.wal = device.NewStation(*s.WAL, seed+1)
	}
	m.idleWrite = time.Duration(2 * s.Data.MeanSeconds(device.Write) * float64(time.Second))
	for _, l := range s.Locks {
		m.rows = append(m.rows, make([]row, max(1, l.Rows)))
	}
	return m
}

// move notes that a client is now somewhere else.
func (m *model) move(c *client, place string) {
	if m.counting {
		m.spent[c.place] += m.now - max(c.since, m.counted)
	}
	c.place, c.since = place, m.now
}

// begin starts a transaction with its think time.
func (m *model) begin(c *client) {
	c.began, c.statement, c.lock = m.now, 0, 0
	if m.Think == 0 {
		m.delay(c)
		return
	}
	m.move(c, Pause)
	m.at(m.now+m.Think, (*model).delay, c)
}

// delay lets the delay of a transaction pass.
func (m *model) delay(c *client) {
	m.move(c, Elapse)
	if m.Delay == 0 {
		m.next(c)
		return
	}
	m.at(m.now+m.random.exponential(m.Delay), (*model).next, c)
}

// next runs the next statement, or commits after the last. A thread of the load generator sends it.
func (m *model) next(c *client) {
	if c.statement == m.Statements {
		m.commit(c)
		return
	}
	c.statement++
	c.reads = 0
	switch m.ReadsIn {
	case 0:
		c.reads = m.random.misses(m.Reads / float64(m.Statements))
	case c.statement:
		c.reads = m.random.misses(m.Reads)
	}
	if m.Client == 0 {
		m.serve(c)
		return
	}
	c.thread.send(m, c)
}

// serve runs the server's part of a statement.
func (m *model) serve(c *client) {
	if m.Loop != nil {
		m.arrive(c)
		return
	}
	m.compute(&m.cpus, c, m.random.spread(m.Server/time.Duration(m.Statements)), (*model).read)
}

// read reads the blocks of a statement, one after the other.
func (m *model) read(c *client) {
	if c.reads > 0 {
		c.reads--
		m.move(c, Read)
		m.at(m.submit(m.data, device.Request{Kind: device.Read, Offset: m.random.offset(), Size: m.random.readSize(cmp.Or(m.ReadSize, BlockSize))}), (*model).read, c)
		return
	}
	m.lock(c)
}

// lock locks the rows of a statement.
func (m *model) lock(c *client) {
	if c.lock == len(m.Locks) || m.Locks[c.lock].After > c.statement {
		m.next(c)
		return
	}
	all := m.rows[c.lock]
	c.lock++
	r := &all[m.random.IntN(len(all))]
	if r.holder != nil {
		if m.counting {
			m.result.LockWaits++
		}
		r.queue = append(r.queue, c)
		m.move(c, RowLock)
		return
	}
	r.holder = c
	c.held = append(c.held, r)
	m.lock(c)
}

// unlock hands the rows of a transaction to those that wait for them.
func (m *model) unlock(c *client) {
	for _, r := range c.held {
		r.holder = nil
		if len(r.queue) > 0 {
			r.holder, r.queue = r.queue[0], r.queue[1:]
			r.holder.held = append(r.holder.held, r)
			m.compute(&m.cpus, r.holder, m.LockWait, (*model).lock)
		}
	}
	c.held = c.held[:0]
}

// commit waits for a flush that begins after the transaction's WAL was written: those that come during a
// flush are flushed together by the next one.
func (m *model) commit(c *client) {
	if m.WALBytes == 0 || m.Commits < 1 && m.random.Float64() >= m.Commits {
		m.end(c)
		return
	}
	m.move(c, Flush)
	m.group = append(m.group, c)
	if !m.flushing {
		m.flush()
	}
}

func (m *model) flush() {
	m.flushing = true
	m.flushed, m.group = m.group, m.flushed[:0]
	// A group begins in the middle of a block, which is written again.
	blocks := int64(m.WALBytes*float64(len(m.flushed))/BlockSize+m.random.Float64()) + 1
	m.at(m.submit(m.wal, device.Request{Kind: device.Write, Offset: m.random.offset(), Size: blocks * BlockSize}), (*model).sync, nil)
}

// sync ends a flush with that of the disk's cache. The process that flushes then waits for a CPU like any other, and
// meanwhile more commits come for the next flush: a process that slept for a disk seldom preempts one that computes.
func (m *model) sync(*client) {
	m.at(m.submit(m.wal, device.Request{Kind: device.Flush}), func(m *model, _ *client) {
		m.compute(&m.cpus, m.flushed[0], m.Sync, (*model).durable)
	}, nil)
}

func (m *model) durable(*client) {
	if m.counting {
		m.result.Flushes++
	}
	done := m.flushed
	m.flushing, m.flushed = false, nil
	if len(m.group) > 0 {
		m.flush()
	}
	for _, c := range done {
		m.end(c)
	}
}

// end ends a transaction. What it changed is written in the background.
func (m *model) end(c *client) {
	m.unlock(c)
	if m.counting {
		m.result.Transactions++
		m.result.Latencies = append(m.result.Latencies, m.now-c.began)
	}
	m.dirty += int64(m.random.poisson(m.Writes)) * max(m.WriteSize, 512)
	m.writeBack()
	if m.Loop != nil {
		m.loop.behind += m.Loop.Follow
		m.follow()
	}
	m.begin(c)
}

// merged is how much larger the writes of the write-back become while they wait: the kernel merges neighbours.
const merged = 8

// patience is how many times as long as a write waited for others the write-back waits before the next one: it
// yields to the flushes of the WAL.
const patience = 10

// writeBack writes what is dirty, one write at a time. On an idle disk it writes at once; on a busy one its writes
// become fewer and larger.
func (m *model) writeBack() {
	if m.dirty == 0 || m.now < m.nextWrite {
		return
	}
	size := min(m.dirty, merged*max(m.WriteSize, 512))
	m.dirty -= size
	done := m.submit(m.data, device.Request{Kind: device.Write, Offset: m.random.offset(), Size: size})
	m.nextWrite = done + patience*max(0, done-m.now-m.idleWrite)
}

// submit gives a request to a disk, and the emulator's part of it to a CPU.
func (m *model) submit(to *device.Station, r device.Request) (done time.Duration) {
	done = to.Submit(m.now, r)
	if m.Path > 0 && (r.Kind != device.Flush || done > m.now) {
		m.charge(m.Path + time.Duration(float64(m.Copy)*float64(r.Size)/1024))
	}
	return done
}

// start begins to count.
func (m *model) start() {
	m.counting, m.counted = true, m.now
	m.base = [2]device.Used{m.data.Used(), m.wal.Used()}
}

func (m *model) finish() Result {
	r := m.result
	r.Length = m.now - m.counted
	for i := range m.clients {
		m.move(&m.clients[i], "")
	}
	if r.Length > 0 {
		for place, spent := range m.spent {
			r.InFlight[place] = spent.Seconds() / r.Length.Seconds()
		}
		r.BusyServer = m.cpus.used.Seconds() / r.Length.Seconds()
		if r.Busy = r.BusyServer; m.others != &m.cpus {
			r.Busy += m.others.used.Seconds() / r.Length.Seconds()
		}
	}
	r.Data, r.WAL = since(m.data.Used(), m.base[0]), since(m.wal.Used(), m.base[1])
	return r
}

func since(now, base device.Used) device.Used {
	return device.Used{Operations: now.Operations - base.Operations, Bytes: now.Bytes - base.Bytes}
}
