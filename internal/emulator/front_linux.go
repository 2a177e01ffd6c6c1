package emulator

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// front takes and answers requests until the filesystem is unmounted, or aborted.
func (s *server) front() error {
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
		if !came && due-nap.early() > s.disk.clock.now() {
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
		if !waits || due > s.disk.clock.now() {
			return
		}
		if r := s.queue.pop(); !r.stage.CompareAndSwap(stageWork, stageDue) {
			s.send(r)
		}
	}
}

// receive handles one request, if there is one.
func (s *server) receive() (came bool, err error) {
	r, err := s.requests.get()
	if err != nil {
		return false, err
	}
	r.length, err = unix.Read(s.fd, r.buffer)
	if err == nil && r.length >= inHeader {
		s.handle(r)
		return true, nil
	}
	s.requests.put(r)
	switch {
	case err == nil, errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR):
		return false, nil
	case errors.Is(err, unix.ENOENT):
		return true, nil // it was given up by who sent it
	case errors.Is(err, unix.ENODEV), errors.Is(err, unix.ECONNABORTED):
		return false, fmt.Errorf("the emulator's filesystem on %s was unmounted by somebody else", s.mount)
	}
	return false, fmt.Errorf("cannot read requests of the kernel: %w", err)
}

// forever is later than anything.
const forever = time.Duration(1<<63 - 1)

// sleep waits for a request, until shortly before due.
func (s *server) sleep(n *nap, due time.Duration) {
	now, until := s.disk.clock.now(), due-n.early()
	limit := unix.NsecToTimespec(int64(max(0, min(until-now, n.longest()))))
	fds := [2]unix.PollFd{{Fd: int32(s.fd), Events: unix.POLLIN}, {Fd: int32(s.alarm), Events: unix.POLLIN}}
	count, _, _ := unix.Syscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&fds)), uintptr(len(fds)),
		uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
	if fds[1].Revents != 0 {
		var rings [8]byte
		_, _ = unix.Read(s.alarm, rings[:])
	}
	switch now := s.disk.clock.now(); {
	case int(count) > 0:
		n.worked()
	case now >= until:
		n.overslept(now - until)
		n.worked()
	default:
		n.idled()
	}
}
