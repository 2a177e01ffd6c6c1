package emulator

import (
	"errors"
	"fmt"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// server makes the device of what its front receives. One thread takes requests from
// the front and answers them in time; helpers do what could make it wait: writing,
// syncing, reading what is not in memory.
type server struct {
	front    front
	disk     *disk
	requests *requests
	alarm    int // an eventfd that wakes the thread that answers
	helpers  helpers
	queue    queue         // what waits for its time; of the thread that answers
	polled   []unix.PollFd // what it waits on; its own
	hurry    atomic.Bool   // all that waits is to be answered at once
}

func newServer(f front, d *disk, free *requests) (*server, error) {
	alarm, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("cannot make an eventfd: %w", err)
	}
	return &server{front: f, disk: d, requests: free, alarm: alarm}, nil
}

// start begins to serve. What comes out of the channel is why it ended.
func (s *server) start() <-chan error {
	ended := make(chan error, 1)
	s.helpers.begin(s.help)
	go func() { ended <- s.work() }()
	return ended
}

// handle answers a request, or sees to it that it is answered later. Work that could
// make this thread wait goes to a helper when there is time for that; a pass-through
// does it at once, since waking a helper costs more than it does.
func (s *server) handle(r *request) {
	if r.timed() {
		s.disk.arrive(r)
	}
	now := r.due <= s.disk.clock()
	switch {
	case r.errno != 0 || s.quick(r):
	case now && r.task == taskWrite && !r.forced:
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

// assign gives r to a helper. The thread that answers keeps an eye on the time.
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

// quick does what surely takes no time, if r is that.
func (s *server) quick(r *request) bool {
	switch r.task {
	case taskRead:
		n, ok := s.disk.store.readNow(r.body(int(r.asked.Size)), r.asked.Offset)
		r.size = n
		return ok
	case taskFlush:
		return !s.disk.store.caching.Load()
	}
	return false
}

// perform does what r asks of the backing file.
func (s *server) perform(r *request) {
	var err error
	switch r.task {
	case taskRead:
		r.size, err = s.disk.store.readAt(r.body(int(r.asked.Size)), r.asked.Offset)
	case taskWrite:
		if err = s.disk.store.writeAt(r.data, r.asked.Offset); err == nil && r.forced {
			err = s.disk.store.flush()
		}
	case taskFlush:
		err = s.disk.store.flush()
	case taskAllocate:
		s.allocate(r)
		return
	}
	if err != nil {
		s.disk.fail(r, err)
	}
}

// allocate passes a discard, or the writing of zeroes, on to the backing file; it
// takes no time of the device. What the backing filesystem cannot do, the device
// cannot.
func (s *server) allocate(r *request) {
	err := s.disk.store.allocate(r.mode, r.asked.Offset, r.asked.Size)
	if err != nil && !errors.As(err, &r.errno) {
		r.errno = syscall.EIO
	}
}

// send sends r, which is used again then.
func (s *server) send(r *request) {
	if r.timed() {
		s.disk.leave(r)
	}
	s.front.answer(r)
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

// front is the form of the device that the kernel sees: where requests come from, and
// where their answers go. All that a device is lies behind it, and is the same whatever
// the form.
type front interface {
	// receive is a request to the device that has come whole, if there is one; came says
	// whether there was anything at all. An error is the end: nothing will come any more.
	// It never waits, and only one thread asks.
	receive() (r *request, came bool, err error)
	// answer sends what became of r. It is told nothing of an error: then nobody waits
	// for r any more. Several threads may answer.
	answer(r *request)
	// watch adds the file descriptors to wait on for requests.
	watch(fds []unix.PollFd) []unix.PollFd
	// stop ends the device, in order. It may still be in use.
	stop() error
}

// work takes and answers requests until the front has ended.
func (s *server) work() error {
	nap := restedNap()
	for {
		s.answerDue()
		came, err := s.receive()
		if err != nil {
			return err
		}
		due, waits := s.queue.next()
		if !waits {
			due = forever
		}
		// A wait that is too short to sleep is spent looking for requests.
		if !came && due-nap.early() > s.disk.clock() {
			s.sleep(&nap, due)
		}
	}
}

// answerDue sends what is due.
func (s *server) answerDue() {
	if s.hurry.Swap(false) {
		for _, r := range s.queue {
			r.due = 0 // all alike: the heap stays one
		}
	}
	for {
		due, waits := s.queue.next()
		if !waits || due > s.disk.clock() {
			return
		}
		if r := s.queue.pop(); !r.stage.CompareAndSwap(stageWork, stageDue) {
			s.send(r)
		}
	}
}

// receive handles one request, if there is one.
func (s *server) receive() (came bool, err error) {
	r, came, err := s.front.receive()
	if r != nil {
		s.handle(r)
	}
	return came, err
}

// forever is later than anything.
const forever = time.Duration(1<<63 - 1)

// sleep waits for a request, until shortly before due.
func (s *server) sleep(n *nap, due time.Duration) {
	now, until := s.disk.clock(), due-n.early()
	limit := unix.NsecToTimespec(int64(max(0, min(until-now, n.longest()))))
	s.polled = s.front.watch(append(s.polled[:0], unix.PollFd{Fd: int32(s.alarm), Events: unix.POLLIN}))
	count, _, _ := unix.Syscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&s.polled[0])), uintptr(len(s.polled)),
		uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
	if s.polled[0].Revents != 0 {
		var rings [8]byte
		_, _ = unix.Read(s.alarm, rings[:])
	}
	switch now := s.disk.clock(); {
	case int(count) > 0:
		n.worked()
	case now >= until:
		n.overslept(now - until)
		n.worked()
	default:
		n.idled()
	}
}
