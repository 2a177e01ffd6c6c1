//go:build !linux

package wire

import (
	"errors"
	"io"
)

// Stdio returns an error: agents run on Linux only.
func Stdio() (io.ReadWriteCloser, error) {
	return nil, errors.New("cannot take over the standard input: agents run on Linux only")
}
