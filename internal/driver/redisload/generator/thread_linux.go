package generator

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"plinth/internal/driver/redisload/resp"
)

// thread drives some of the clients with its own event loop.
type thread struct {
	load   *load
	dialer *dialer
	epoll  int
	events []unix.EpollEvent
	buffer []byte // read buffer of all clients; replies are scanned in it and not kept

	clients   []client
	free      ring // idle clients, with a rate: the longest idle first
	backlog   []*client
	templates []template
	weights   []uint64 // cumulative, by script
	random    *rand.Rand
	keys      keys
	arrivals  arrivals

	base     time.Time // when the load began
	now      int64     // since base
	visited  int64     // when this thread was last in Go's scheduler
	noPwait2 bool
	spec     unix.Timespec   // for results of the kernel, without an allocation
	interest unix.EpollEvent // the same, for arguments

	begun     bool // the load has begun; before it, clients connect
	ready     int  // clients that are connected and greeted
	live      int  // clients that have or will have requests
	over      bool
	second    *Second // being counted
	secondEnd int64
	cpu       int64 // of this thread when the second began
	full      chan *Second
	empty     chan *Second
	end       End
}

// readSize is how many bytes are read at once: of a reply of 180 kB, a third.
const readSize = 64 << 10

// clock returns nanoseconds since the load began.
func (t *thread) clock() int64 { return int64(time.Since(t.base)) }

// pause returns how long the thread may wait for an event.
func (t *thread) pause() int64 {
	until := t.secondEnd
	if t.free.length > 0 && t.load.config.Rate > 0 {
		until = min(until, t.arrivals.due)
	}
	if len(t.backlog) > 0 {
		until = min(until, t.now+int64(time.Millisecond))
	}
	return until - t.clock()
}

// turn waits at most that long for events and handles them.
func (t *thread) turn(pause int64) error {
	n, err := t.wait(pause)
	if err != nil {
		return err
	}
	for i := range t.events[:n] {
		if err := t.event(&t.events[i]); err != nil {
			return err
		}
		if t.over {
			return nil
		}
	}
	if n == 0 {
		t.now = t.clock()
		t.cut()
	}
	if err := t.again(); err != nil {
		return err
	}
	return t.arrive()
}

// quiet is how long, in nanoseconds, the thread may stay out of Go's scheduler. The runtime
// monitors code that stays away for 10 ms: it then polls every 20 µs, which costs several
// per cent of a CPU, and takes the thread's P away.
const quiet = int64(4 * time.Millisecond)

// wait waits for events. It first polls without blocking, bypassing Go's scheduler.
func (t *thread) wait(pause int64) (int, error) {
	if t.now-t.visited > quiet {
		t.visited = t.now
		runtime.Gosched()
	}
	n, errno := t.look()
	if n == 0 && errno == 0 && pause > 0 {
		n, errno = t.sleep(pause)
	}
	if errno != 0 && errno != unix.EINTR {
		return 0, fmt.Errorf("cannot wait for replies: %w", errno)
	}
	return n, nil
}

func (t *thread) look() (int, unix.Errno) {
	n, _, errno := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(t.epoll),
		uintptr(unsafe.Pointer(&t.events[0])), uintptr(len(t.events)), 0, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}

// sleep waits with nanosecond resolution. Kernels before 5.11 lack epoll_pwait2, and
// containers may forbid it.
func (t *thread) sleep(pause int64) (int, unix.Errno) {
	limit := unix.NsecToTimespec(pause)
	if !t.noPwait2 {
		n, _, errno := unix.Syscall6(unix.SYS_EPOLL_PWAIT2, uintptr(t.epoll),
			uintptr(unsafe.Pointer(&t.events[0])), uintptr(len(t.events)), uintptr(unsafe.Pointer(&limit)), 0, 0)
		if errno == 0 {
			return int(n), 0
		}
		if errno != unix.ENOSYS && errno != unix.EPERM {
			return 0, errno
		}
		t.noPwait2 = true
	}
	ready := unix.PollFd{Fd: int32(t.epoll), Events: unix.POLLIN}
	_, _, errno := unix.Syscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&ready)), 1, uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return t.look()
}

// event handles one event.
func (t *thread) event(e *unix.EpollEvent) error {
	c := &t.clients[e.Fd]
	if c.phase == connecting {
		if err := opened(c.fd); err != nil {
			return fmt.Errorf("cannot connect: %w", err)
		}
		return t.established(c)
	}
	if c.sock == nil {
		return nil // closed since
	}
	if e.Events&(unix.EPOLLIN|unix.EPOLLHUP|unix.EPOLLERR|unix.EPOLLRDHUP) != 0 {
		if err := t.receive(c); err != nil || c.sock == nil {
			return err
		}
	}
	if e.Events&unix.EPOLLOUT != 0 {
		return t.send(c, t.clock())
	}
	return nil
}

// receive reads what has arrived and counts replies.
func (t *thread) receive(c *client) error {
	for {
		n, more, err := c.sock.read(t.buffer)
		t.now = t.clock()
		if t.begun {
			if t.cut(); t.over {
				return nil
			}
		}
		if err != nil {
			if errors.Is(err, unix.EAGAIN) {
				return nil
			}
			return t.lost(c, err)
		}
		if err := t.replies(c, t.buffer[:n]); err != nil {
			return err
		}
		if !more || c.phase != busy {
			return nil
		}
	}
}

func (t *thread) replies(c *client, b []byte) error {
	for made := c.made; len(b) > 0 && c.made == made; {
		n, done, err := c.parser.Parse(b)
		if err != nil {
			return err
		}
		if !done {
			return nil
		}
		b = b[n:]
		if err := t.reply(c); err != nil {
			return err
		}
	}
	return nil
}

// reply counts one reply, and continues after the last one of a batch.
func (t *thread) reply(c *client) error {
	switch {
	case c.greetings > 0:
		if c.parser.Kind() == resp.Error {
			return t.load.refuses(c.parser.Text())
		}
		if c.greetings--; c.greetings == 0 && !t.begun {
			c.phase = idle
			t.ready++
		}
		return nil
	case c.unanswered() == 0:
		if c.parser.Kind() == resp.Error { // the server closes the connection next
			return t.load.refuses(c.parser.Text())
		}
		return errors.New("the server sent an unexpected reply")
	}
	f := &c.flights[c.answered]
	c.answered++
	if err := t.count(f, &c.parser); err != nil {
		return err
	}
	if c.unanswered() > 0 {
		return nil
	}
	return t.done(c)
}

// done continues after the last reply of a batch.
func (t *thread) done(c *client) error {
	c.phase = idle
	if t.load.config.ConnectEach {
		t.drop(c)
	}
	if t.load.config.Rate > 0 {
		t.free.push(c.number)
		return nil // arrive is next
	}
	return t.next(c)
}

// next makes a client send its next batch at once.
func (t *thread) next(c *client) error {
	n, counts := t.grant(t.load.config.Pipeline)
	if n == 0 {
		t.retire()
		return nil
	}
	return t.batch(c, n, t.now, counts)
}

// arrive makes idle clients send what is due.
func (t *thread) arrive() error {
	if t.load.config.Rate == 0 || !t.begun {
		return nil
	}
	for t.free.length > 0 && !t.over {
		if t.now = t.clock(); t.arrivals.due > t.now {
			return nil
		}
		c := &t.clients[t.free.pop()]
		n, counts := t.grant(1)
		if n == 0 {
			t.retire()
			continue
		}
		if err := t.batch(c, n, t.arrivals.take(), counts); err != nil {
			return err
		}
	}
	return nil
}

// batch sends n requests that are due at a moment, on a new connection where each request
// has its own.
func (t *thread) batch(c *client, n int, due int64, counts bool) error {
	c.compose()
	if t.load.config.ConnectEach {
		c.greet(t.load.login, t.load.logins)
	}
	for range n {
		script := t.draw()
		c.request(script, &t.templates[script], t.load.payload, &t.keys, due, counts)
	}
	if c.sock == nil {
		return t.open(c)
	}
	c.phase = busy
	return t.send(c, t.now)
}

// draw chooses the script of a request.
func (t *thread) draw() int {
	if len(t.weights) == 1 {
		return 0
	}
	at := t.random.Uint64N(t.weights[len(t.weights)-1])
	script := 0
	for at >= t.weights[script] {
		script++
	}
	return script
}

// send sends what it can, and registers for an event when more can be sent.
func (t *thread) send(c *client, now int64) error {
	err := c.flush(now)
	switch {
	case err != nil && !errors.Is(err, unix.EAGAIN):
		return t.lost(c, err)
	case err != nil || c.sock.unsent():
		return t.ask(c, unix.EPOLLIN|unix.EPOLLOUT)
	}
	return t.ask(c, unix.EPOLLIN)
}
