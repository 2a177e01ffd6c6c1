package kernel

import (
	"errors"
	"io/fs"
	"path/filepath"

	"plinth/internal/host/proc"

	"golang.org/x/sys/unix"
)

// file is a kernel file that is read repeatedly. It is kept open: opening costs more than
// reading.
type file struct {
	path string
	fd   int // -1 while closed
	text []byte
}

// mostText limits the length of a file. /proc/stat of a machine with 4096 CPUs and all
// their interrupts is below 1 MiB.
const mostText = 16 << 20

var errTooLong = errors.New("longer than any kernel file")

// newFile returns a file below root, which the first reading opens.
func newFile(root, name string) file { return file{path: filepath.Join(root, name), fd: -1} }

// read returns the whole text, which the next reading overwrites. After an error, the next
// reading opens the file again.
func (f *file) read() ([]byte, error) {
	if err := f.open(); err != nil {
		return nil, err
	}
	length := 0
	for {
		n, err := f.pread(length)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return f.text[:length], nil
		}
		length += n
	}
}

// readShort returns the text of a file that the kernel writes in one piece and that is
// shorter than a page: one system call instead of two.
func (f *file) readShort() ([]byte, error) {
	if err := f.open(); err != nil {
		return nil, err
	}
	n, err := f.pread(0)
	return f.text[:n], err
}

// pread reads at offset from. It returns 0 at the end of the file.
func (f *file) pread(from int) (int, error) {
	if from == len(f.text) {
		f.text = append(f.text, make([]byte, max(4096, len(f.text)))...)
	}
	if len(f.text) > mostText {
		return 0, f.failed("read", errTooLong)
	}
	for {
		n, err := unix.Pread(f.fd, f.text[from:], int64(from))
		if err == nil {
			return n, nil
		}
		if err != unix.EINTR {
			return 0, f.failed("read", err)
		}
	}
}

func (f *file) open() error {
	if f.fd >= 0 {
		return nil
	}
	fd, err := unix.Open(f.path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return f.failed("open", err)
	}
	f.fd = fd
	return nil
}

func (f *file) failed(doing string, err error) error {
	f.close()
	return &fs.PathError{Op: "cannot " + doing, Path: f.path, Err: err}
}

// close closes the file. It may be called again, and read opens the file again.
func (f *file) close() {
	if f.fd >= 0 {
		unix.Close(f.fd)
		f.fd = -1
	}
}

// readNumber returns the number the file contains; ok is false for "max" and the like.
func (f *file) readNumber() (n uint64, ok bool, err error) {
	text, err := f.readShort()
	if err != nil {
		return 0, false, err
	}
	line, _ := proc.CutLine(text)
	n, ok = proc.Number(line)
	return n, ok, nil
}
