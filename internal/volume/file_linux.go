package volume

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// newFile creates an unnamed file in dir, with its space allocated if the filesystem supports
// that.
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

// giveName links f to path; it fails if path exists.
func giveName(f *os.File, path string) error {
	return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", f.Fd()), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
}

// deviceNumber returns the number of a block device ("8:16"); "" for anything else.
func deviceNumber(path string) (string, error) {
	var s unix.Stat_t
	if err := unix.Stat(path, &s); err != nil || s.Mode&unix.S_IFMT != unix.S_IFBLK {
		return "", err
	}
	return fmt.Sprintf("%d:%d", unix.Major(s.Rdev), unix.Minor(s.Rdev)), nil
}

// identify returns the identity of a file in parent, without following a symlink.
func identify(parent *os.Root, name string) (string, error) {
	dir, err := parent.Open(".")
	if err != nil {
		return "", err
	}
	defer dir.Close()
	return identifyAt(int(dir.Fd()), name, unix.AT_SYMLINK_NOFOLLOW)
}

func identifyAt(dir int, path string, flags int) (string, error) {
	var s unix.Statx_t
	if err := unix.Statx(dir, path, flags, unix.STATX_INO|unix.STATX_BTIME, &s); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d-%d.%09d", s.Ino, s.Btime.Sec, s.Btime.Nsec), nil
}
