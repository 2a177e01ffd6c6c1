package emulator

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

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
