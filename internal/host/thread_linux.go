package host

import (
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// thread is the open schedstat of one thread, and what it showed last.
type thread struct {
	fd   int
	last schedstat
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
func (t *thread) read() (schedstat, error) {
	var text [80]byte // three numbers of at most 20 digits
	n, err := unix.Pread(t.fd, text[:], 0)
	if err != nil {
		return schedstat{}, err
	}
	return parseSchedstat(string(text[:n]))
}

// schedstat is what a thread has done since it began
// (Documentation/scheduler/sched-stats.rst). The time that it runs is brought up
// to date at least every tick of the kernel, some milliseconds; a wait is added
// when it ends.
type schedstat struct {
	running uint64 // nanoseconds on a CPU
	waiting uint64 // nanoseconds in a run queue, ready to run
	slices  uint64 // how often it was given a CPU
}

func parseSchedstat(text string) (s schedstat, err error) {
	fields := strings.Fields(text)
	if len(fields) < 3 {
		return s, fmt.Errorf("%q is not a schedstat of three numbers", text)
	}
	for i, value := range []*uint64{&s.running, &s.waiting, &s.slices} {
		if *value, err = strconv.ParseUint(fields[i], 10, 64); err != nil {
			return schedstat{}, fmt.Errorf("%q is not a schedstat: %w", text, err)
		}
	}
	return s, nil
}
