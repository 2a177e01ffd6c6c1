package generator

import (
	"io"
	"unsafe"

	"golang.org/x/sys/unix"
)

// socket is a non-blocking connection: calls that would block return EAGAIN.
type socket interface {
	// read reads into b; more means that there may be more to read without a new event.
	read(b []byte) (n int, more bool, err error)
	// write sends as much of the pieces as fits.
	write(pieces []unix.Iovec) (n int, err error)
	// unsent reports whether bytes accepted by write have not been sent.
	unsent() bool
}

// plain is a socket without TLS. Its calls bypass Go's scheduler, which need not know of
// calls that never block.
type plain struct{ descriptor int }

func (p *plain) unsent() bool { return false }

func (p *plain) read(b []byte) (int, bool, error) {
	n, err := readNow(p.descriptor, b)
	return n, false, err
}

// readNow reads once; the end of the stream is io.EOF.
func readNow(fd int, b []byte) (int, error) {
	for {
		n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
		switch {
		case errno == unix.EINTR:
		case errno != 0:
			return 0, errno
		case n == 0:
			return 0, io.EOF
		default:
			return int(n), nil
		}
	}
}

// mostPieces is IOV_MAX.
const mostPieces = 1024

func (p *plain) write(pieces []unix.Iovec) (int, error) {
	var n uintptr
	errno := unix.EINTR
	for errno == unix.EINTR {
		if len(pieces) == 1 {
			n, _, errno = unix.RawSyscall(unix.SYS_WRITE, uintptr(p.descriptor), uintptr(unsafe.Pointer(pieces[0].Base)), uintptr(pieces[0].Len))
		} else {
			n, _, errno = unix.RawSyscall(unix.SYS_WRITEV, uintptr(p.descriptor), uintptr(unsafe.Pointer(unsafe.SliceData(pieces))), uintptr(min(len(pieces), mostPieces)))
		}
	}
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}
