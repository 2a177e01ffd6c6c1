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

// DropCaches empties the page cache, and caches of names: what is clean only, so that
// it costs time and no data (Documentation/admin-guide/sysctl/vm.rst, drop_caches).
func DropCaches() error {
	unix.Sync()
	return os.WriteFile("/proc/sys/vm/drop_caches", []byte("3"), 0)
}

// Sync has the kernel write out all that it holds of all filesystems, and waits for
// it: sync(2).
func Sync() { unix.Sync() }
