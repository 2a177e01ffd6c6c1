package tune

import (
	"io"

	"plinth/internal/host"
)

// Machine is the door to what a kernel is tuned by: the files of /proc and /sys, and
// its mounts. Kernel is the real one; tests have others.
type Machine interface {
	// Read is the content of a file without the newline at its end.
	Read(path string) (string, error)
	// Write writes a value by one write(2), as the kernel wants it.
	Write(path, value string) error
	// Writable is why a file could not be written; nothing is written.
	Writable(path string) error
	// Hold writes a value and keeps the file open: some values are in force only so long.
	Hold(path string, value []byte) (io.Closer, error)
	// Match are the paths that a pattern of filepath.Match stands for, in order.
	Match(pattern string) ([]string, error)
	// Boot is the id of this boot.
	Boot() string
	// ID is that of the machine, "" where it has none.
	ID() string
	// Mounts are all mounts, in the order in which they were made.
	Mounts() ([]host.Filesystem, error)
	// Remount changes the options of a mount: those of the mount itself are all that it
	// is to have ("rw,noatime"), those of its filesystem only what is to change.
	Remount(mountPoint string, mount, filesystem []string) error
}
