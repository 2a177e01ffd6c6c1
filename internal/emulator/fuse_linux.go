package emulator

import (
	"fmt"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// server is the emulator's side of the filesystem. One thread, the front, takes
// requests from the kernel and answers them in time; helpers do what could make it
// wait: writing, syncing, reading what is not in memory.
//
// The protocol's structures are go-fuse's; its server is not used. It does not ask
// for CAP_ASYNC_DIO, without which the loop device has one request in flight, and
// it spends a goroutine and a thread on each request that waits: four times the CPU.
type server struct {
	fd       int // /dev/fuse, which never blocks
	alarm    int // an eventfd that wakes the front
	mount    string
	size     int64
	disk     *disk
	requests requests
	helpers  helpers
	queue    queue       // what waits for its time; the front's
	hurry    atomic.Bool // all that waits is to be answered at once
}

// start begins to serve. What comes out of the channel is why it ended.
func (s *server) start() <-chan error {
	ended := make(chan error, 1)
	s.helpers.begin(s.help)
	go func() { ended <- s.front() }()
	return ended
}

// handle answers what the kernel sent, or sees to it that it is answered later.
// Work that could make the front wait goes to a helper when there is time for that;
// a pass-through does it at once, since waking a helper costs more than it does.
func (s *server) handle(r *request) {
	if !r.take() {
		s.requests.put(r)
		return
	}
	if r.timed {
		s.disk.arrive(r)
	}
	now := r.due <= s.disk.clock.now()
	switch {
	case r.errno != 0 || s.quick(r):
	case now && r.opcode == opWrite:
		s.perform(r)
	default:
		s.assign(r, now)
		return
	}
	if now {
		s.send(r)
	} else {
		r.stage.Store(stageDone)
		s.queue.push(r)
	}
}

// assign gives r to a helper. The front keeps an eye on the time.
func (s *server) assign(r *request, now bool) {
	if now {
		r.stage.Store(stageDue)
	} else {
		s.queue.push(r)
	}
	s.helpers.assign(r)
}

// help is the work of a helper. It answers when the time was over before.
func (s *server) help(r *request) {
	s.perform(r)
	if !r.stage.CompareAndSwap(stageWork, stageDone) {
		s.send(r)
	}
}

// send sends r. Nobody is there to hear of an error: the request was given up, or
// the filesystem is gone.
func (s *server) send(r *request) {
	if r.timed {
		s.disk.leave(r)
	}
	_, _ = syscall.Write(s.fd, r.answer())
	s.requests.put(r)
}

// power cuts the power, or gives it back.
func (s *server) power(on bool) error {
	s.disk.power(on)
	if on {
		return nil
	}
	s.hurry.Store(true)
	one := [8]byte{0: 1} // the kernel's byte order does not matter: it is not 0
	if _, err := unix.Write(s.alarm, one[:]); err != nil {
		return fmt.Errorf("cannot wake the thread that answers: %w", err)
	}
	return nil
}
