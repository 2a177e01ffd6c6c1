package launch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// pipeSize is the size of a FIFO in bytes: at 60,000 transactions a second pgbench writes 2 MB
// a second, so a reader may pause for half a second. It is the kernel's default limit for
// ordinary users (/proc/sys/fs/pipe-max-size).
const pipeSize = 1 << 20

// pipes returns the FIFOs of o for a program with this process id.
func (o order) pipes(pid int) []string {
	paths := make([]string, len(o.Pipes))
	for i, path := range o.Pipes {
		paths[i] = strings.ReplaceAll(path, "%p", strconv.Itoa(pid))
	}
	return paths
}

// makePipes creates the FIFOs of this process, for its user to write.
func (o order) makePipes() *failure {
	for _, path := range o.pipes(os.Getpid()) {
		if err := unix.Mkfifo(path, 0o600); err != nil {
			return asFailure("make the pipe", path, err)
		}
		if o.User == nil {
			continue
		}
		if err := os.Lchown(path, o.User.UID, o.User.GID); err != nil {
			return asFailure("change the owner of the pipe", path, err)
		}
	}
	return nil
}

// removePipes removes those of paths that are still FIFOs.
func removePipes(paths []string) {
	for _, path := range paths {
		if info, err := os.Lstat(path); err == nil && info.Mode().Type() == os.ModeNamedPipe {
			_ = os.Remove(path)
		}
	}
}

// openPipe opens the reading end of a FIFO without waiting for a writer, and a writing end of
// our own. As long as ours is open, a reader waits for data; without it, the time before the
// program opens its end would look like EOF. Blocking opens would hang forever if the program
// died before it opened its end.
func openPipe(path string) (read *os.File, keep *os.File, err error) {
	read, err = os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, nil, err
	}
	if info, err := read.Stat(); err != nil || info.Mode().Type() != os.ModeNamedPipe {
		_ = read.Close()
		return nil, nil, fmt.Errorf("%s is not a pipe", path)
	}
	keep, err = keepOpen(read)
	if err != nil {
		_ = read.Close()
		return nil, nil, err
	}
	return read, keep, nil
}

// keepOpen enlarges the pipe if that is allowed, and opens a writing end of it, but not by its
// path: since the reading end was opened, a quick program may have ended, and its pipe may have
// been removed.
func keepOpen(read *os.File) (keep *os.File, err error) {
	raw, err := read.SyscallConn()
	if err != nil {
		return nil, err
	}
	controlErr := raw.Control(func(fd uintptr) {
		_, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) // a smaller one works too
		keep, err = os.OpenFile("/proc/self/fd/"+strconv.Itoa(int(fd)), os.O_WRONLY|unix.O_NONBLOCK, 0)
	})
	return keep, errors.Join(controlErr, err)
}

// emptyPipe is the reading end of a pipe whose program has ended.
func emptyPipe() io.ReadCloser { return io.NopCloser(strings.NewReader("")) }
