package libvirt

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// lend is a path by which another program reads a text, until done is called. The text
// is in no directory and on no disk: there may be secrets in it, and a file would stay
// behind where plinth is killed.
func lend(text string) (path string, done func(), err error) {
	fd, err := unix.MemfdCreate("plinth-domain", unix.MFD_CLOEXEC)
	if err != nil {
		return "", nil, err
	}
	f := os.NewFile(uintptr(fd), "plinth-domain")
	if _, err := f.WriteString(text); err != nil {
		_ = f.Close()
		return "", nil, err
	}
	return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), fd), func() { _ = f.Close() }, nil
}
