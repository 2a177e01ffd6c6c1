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

// server implements the device behind a front. One thread takes requests from the front and
// answers them in time; helpers do work that could block it: writing, syncing, reading what is
// not in memory.
type server struct {
	front    front
	disk     *disk
	requests *requests
	alarm    int // an eventfd that wakes the answering thread
	helpers  helpers
	queue    queue         // requests waiting for their time; used only by the answering thread
	polled   []unix.PollFd // file descriptors it waits on; used only by the answering thread
	hurry    atomic.Bool   // answer all waiting requests at once
}

func newServer(f front, d *disk, free *requests) (*server, error) {
	alarm, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("cannot make an eventfd: %w", err)
	}
	return &server{front: f, disk: d, requests: free, alarm: alarm}, nil
}

// start starts serving. The returned channel delivers the error that ended it.
func (s *server) start() <-chan error {
	ended := make(chan error, 1)
	s.helpers.begin(s.help)
	go func() { ended <- s.work() }()
	return ended
}

// handle answers a request or arranges for its answer later. Work that could block this thread
// goes to a helper if the request has a delay; a pass-through writes at once, since waking a
// helper costs more.
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

// assign gives r to a helper. The answering thread still tracks its due time.
func (s *server) assign(r *request, now bool) {
	if now {
		r.stage.Store(stageDue)
	} else {
		s.queue.push(r)
	}
	s.helpers.assign(r)
}

// help does the work of a helper. It sends the answer if the request is already due.
func (s *server) help(r *request) {
	s.perform(r)
	if !r.stage.CompareAndSwap(stageWork, stageDone) {
		s.send(r)
	}
}

// quick tries to do the work of r without blocking and reports whether it did.
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

// perform carries out r on the backing file.
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

// allocate passes a discard or a request for zeroes to the backing file; it takes no device time.
// The device supports what the backing filesystem supports.
func (s *server) allocate(r *request) {
	err := s.disk.store.allocate(r.mode, r.asked.Offset, r.asked.Size)
	if err != nil && !errors.As(err, &r.errno) {
		r.errno = syscall.EIO
	}
}

// send sends the answer to r and returns r to the pool.
func (s *server) send(r *request) {
	if r.timed() {
		s.disk.leave(r)
	}
	s.front.answer(r)
	s.requests.put(r)
}

// power cuts or restores the power.
func (s *server) power(on bool) error {
	s.disk.power(on)
	if on {
		return nil
	}
	s.hurry.Store(true)
	one := [8]byte{0: 1} // any non-zero value will do, so byte order does not matter
	if _, err := unix.Write(s.alarm, one[:]); err != nil {
		return fmt.Errorf("cannot wake the thread that answers: %w", err)
	}
	return nil
}

// front is the form in which the kernel sees the device: it receives requests and sends answers.
// Everything behind it is the same for all forms.
type front interface {
	// receive returns the next complete request to the device, if any; came reports whether any
	// data arrived. An error is final: no more requests will come. It never blocks, and only one
	// thread calls it.
	receive() (r *request, came bool, err error)
	// answer sends the result of r. It reports no errors: if sending fails, nothing waits for r
	// any longer. Several threads may call it.
	answer(r *request)
	// watch adds the file descriptors to poll for requests.
	watch(fds []unix.PollFd) []unix.PollFd
	// stop shuts the device down gracefully. It may still be in use.
	stop() error
}

// work receives and answers requests until the front ends.
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
		// A wait too short to sleep is spent polling for requests.
		if !came && due-nap.early() > s.disk.clock() {
			s.sleep(&nap, due)
		}
	}
}

// answerDue sends the answers that are due.
func (s *server) answerDue() {
	if s.hurry.Swap(false) {
		for _, r := range s.queue {
			r.due = 0 // all equal, so the heap stays valid
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

// receive handles one request, if any.
func (s *server) receive() (came bool, err error) {
	r, came, err := s.front.receive()
	if r != nil {
		s.handle(r)
	}
	return came, err
}

// forever is later than any due time.
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
