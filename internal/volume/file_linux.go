package volume

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// newFile makes a file without a name in dir, with all its space taken where the
// filesystem can do that.
func newFile(dir string, size int64) (*os.File, string, error) {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, "", err
	}
	f := os.NewFile(uintptr(fd), dir)
	err = unix.Fallocate(fd, 0, 0, size)
	if errors.Is(err, unix.EOPNOTSUPP) {
		err = f.Truncate(size)
	}
	var id string
	if err == nil {
		id, err = identifyAt(fd, "", unix.AT_EMPTY_PATH)
	}
	if err != nil {
		_ = f.Close()
		return nil, "", err
	}
	return f, id, nil
}

// giveName is an error when path is there.
func giveName(f *os.File, path string) error {
	return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", f.Fd()), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
}

// identify tells which file is at path; a link is a file of its own.
func identify(path string) (string, error) {
	return identifyAt(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW)
}

func identifyAt(dir int, path string, flags int) (string, error) {
	var s unix.Statx_t
	if err := unix.Statx(dir, path, flags, unix.STATX_INO|unix.STATX_BTIME, &s); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d-%d.%09d", s.Ino, s.Btime.Sec, s.Btime.Nsec), nil
}
