//go:build unix

package journal

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock takes the file for this process, or fails when another one has it. The
// kernel drops the lock when the process ends, however it ends.
func lock(file *os.File) error {
	return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
}
