package postgres

import (
	"fmt"
	"io"
	"os"
	"syscall"
)

// onlyFileOf refuses what is no regular file of an owner with one name. Where
// another user may make files, O_NOFOLLOW is not enough: a hard link leads
// elsewhere, too, and there is nothing to follow.
func onlyFileOf(file *os.File, uid int) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	stat, known := info.Sys().(*syscall.Stat_t)
	if !known || !info.Mode().IsRegular() || stat.Nlink != 1 || int(stat.Uid) != uid {
		return fmt.Errorf("%s is not the file that was made there", file.Name())
	}
	return nil
}

// readPlain reads a regular file where another user may have put something else:
// a symbolic link is not followed, a FIFO not waited for, and no more than limit
// bytes are read.
func readPlain(path string, limit int64) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	return io.ReadAll(io.LimitReader(file, limit))
}
