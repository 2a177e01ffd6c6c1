package wire

import (
	"fmt"
	"io"
	"os"
	"syscall"
)

// Stdio takes the standard input and output away from the rest of the process, and returns them as the
// connection to the caller. What the process or its children print then goes to the standard error
// output, and cannot damage the connection. When the caller is gone, a Write fails: a write to the
// actual standard output would end the process by SIGPIPE, before it could undo anything.
func Stdio() (io.ReadWriteCloser, error) {
	in, err := replace(0, "standard input", func() (int, error) { return syscall.Open(os.DevNull, syscall.O_RDONLY|syscall.O_CLOEXEC, 0) })
	if err != nil {
		return nil, err
	}
	out, err := replace(1, "standard output", func() (int, error) { return dup(2) })
	if err != nil {
		in.Close()
		return nil, err
	}
	return Streams(in, out), nil
}

// replace returns the file of a descriptor under a new one, which children do not inherit, and puts
// another file in its place.
func replace(fd int, name string, by func() (int, error)) (*os.File, error) {
	kept, err := dup(fd)
	if err != nil {
		return nil, fmt.Errorf("cannot take over the %s: %w", name, err)
	}
	file := os.NewFile(uintptr(kept), name)
	other, err := by()
	if err == nil {
		err = syscall.Dup3(other, fd, 0)
		syscall.Close(other) //nolint:errcheck // it was only read from
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("cannot take over the %s: %w", name, err)
	}
	return file, nil
}

func dup(fd int) (int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	other, err := syscall.Dup(fd)
	if err == nil {
		syscall.CloseOnExec(other)
	}
	return other, err
}
