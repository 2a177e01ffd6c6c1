package hosttest

import "os"

// TempInMemory has the temporary directories of this process in memory, for the TestMain
// of packages that are about files and not about disks: a disk that others use takes
// seconds for what is synced there.
func TempInMemory() {
	const shared = "/dev/shm"
	if info, err := os.Stat(shared); err == nil && info.IsDir() {
		_ = os.Setenv("TMPDIR", shared)
	}
}
