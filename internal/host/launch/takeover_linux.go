package launch

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"plinth/internal/host/proc"

	"golang.org/x/sys/unix"
)

// takeOver ensures that the program ends after its guard was killed. The kernel has sent it the
// stop signal.
func (p *process) takeOver() error {
	switch {
	case p.pidfdErr != nil:
		return fmt.Errorf("cannot determine whether process %d has ended: %w", p.pid, p.pidfdErr)
	case p.pidfd < 0 || waitPIDFD(p.pidfd, p.order.Grace):
		return nil
	}
	err := unix.PidfdSendSignal(p.pidfd, unix.SIGKILL, nil, 0)
	if err == nil || errors.Is(err, syscall.ESRCH) {
		waitPIDFD(p.pidfd, outputGrace)
		return nil
	}
	return fmt.Errorf("cannot end process %d: %w", p.pid, err)
}

// openPIDFD opens a handle of the program pid that stays valid when the number is reused; -1
// when the program has already ended. Before Linux 5.3 it returns an error.
func openPIDFD(pid, guard int) (int, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, syscall.ESRCH) {
		return -1, nil
	}
	if err != nil {
		return -1, err
	}
	// The program is the guard's child; if the guard has just been killed, it is still in the
	// guard's session.
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	var stat proc.Process
	if err == nil {
		stat, err = proc.ParseProcess(text)
	}
	if err != nil || stat.Parent != guard && stat.Session != guard {
		_ = unix.Close(fd)
		return -1, nil
	}
	return fd, nil
}

// waitPIDFD reports whether the process ended within d.
func waitPIDFD(fd int, d time.Duration) bool {
	for deadline := time.Now().Add(d); ; {
		left := max(0, time.Until(deadline))
		milliseconds := int((left + time.Millisecond - 1) / time.Millisecond) // rounded up
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, milliseconds)
		if !errors.Is(err, syscall.EINTR) {
			return n > 0
		}
	}
}
