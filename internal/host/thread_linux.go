package host

import (
	"fmt"
	"io/fs"
	"os"

	"plinth/internal/host/proc"

	"golang.org/x/sys/unix"
)

// thread is the open schedstat of one thread, and what it showed last.
type thread struct {
	fd   int
	last proc.Schedstat
}

// openThread opens the schedstat of a thread in a /proc/PID/task directory.
func openThread(task *os.File, name string) (*thread, error) {
	name += "/schedstat"
	fd, err := unix.Openat(int(task.Fd()), name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: task.Name() + "/" + name, Err: err}
	}
	return &thread{fd: fd}, nil
}

func (t *thread) close() { _ = unix.Close(t.fd) }

// read reads the file anew from its beginning. The error is ESRCH when the
// thread has ended.
func (t *thread) read() (proc.Schedstat, error) {
	var text [80]byte // three numbers of at most 20 digits
	n, err := unix.Pread(t.fd, text[:], 0)
	if err != nil {
		return proc.Schedstat{}, err
	}
	s, ok := proc.ParseSchedstat(text[:n])
	if !ok {
		return s, fmt.Errorf("%q is not a schedstat of three numbers", text[:n])
	}
	return s, nil
}
