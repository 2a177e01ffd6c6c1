package host

import (
	"os"

	"golang.org/x/sys/unix"
)

// SyncFilesystem has the kernel write out all that it holds of the filesystem on which
// a directory lies, and waits for it: syncfs(2).
func SyncFilesystem(dir string) error {
	at, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = at.Close() }()
	return os.NewSyscallError("syncfs", unix.Syncfs(int(at.Fd())))
}
