package host

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// OpenPlain are the flags with which to open a file for ReadPlain: no symbolic link is followed, and a FIFO
// is not waited for.
const OpenPlain = os.O_RDONLY | syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// ReadPlain reads a file that another user may have replaced, and closes it: at most limit bytes of a regular
// file. It takes the results of opening the file with OpenPlain.
func ReadPlain(file *os.File, err error, limit int64) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // nothing was written
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New(file.Name() + " is not a regular file")
	}
	return io.ReadAll(io.LimitReader(file, limit))
}
