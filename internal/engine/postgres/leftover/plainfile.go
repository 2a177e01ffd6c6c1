package leftover

import (
	"fmt"
	"io"
	"os"
	"syscall"
)

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
