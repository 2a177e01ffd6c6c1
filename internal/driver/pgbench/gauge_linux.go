package pgbench

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// pipeCapacity returns how many bytes a pipe can hold; 0 if it is not a pipe.
func pipeCapacity(pipe syscall.RawConn) (n int) {
	_ = pipe.Control(func(fd uintptr) { n, _ = unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0) })
	return max(n, 0)
}

// pipeHolds returns how many bytes can be read from it now (TIOCINQ is another name of
// FIONREAD, see ioctl_tty(2)).
func pipeHolds(pipe syscall.RawConn) (n int) {
	_ = pipe.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), unix.TIOCINQ) })
	return n
}
