package libvirt

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// lend returns a path from which another program can read a text until done is called. The text
// is in memory, not on disk: it may contain secrets, and a file would stay behind if plinth is
// killed.
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
