//go:build linux

package postgres

import (
	"os"
	"testing"

	"plinth/internal/engine/postgres/leftover"
)

// TestSharedMemoryOfAServer is told the same by what it has mapped and by its
// lock file; a process that is no server has none.
func TestSharedMemoryOfAServer(t *testing.T) {
	t.Parallel()
	own := startOwn(t, bareConfig(t, oneInstalled(t)))
	lock, err := leftover.ReadLock(own.DataDir)
	must(t, err)
	files, segment := own.sharedMemory()
	if segment != lock.Segment || len(files) == 0 {
		t.Errorf("segment %d with %v, the lock file says %d", segment, files, lock.Segment)
	}
	if files, segment := leftover.MemoryOf(os.Getpid()); segment != -1 || files != nil {
		t.Errorf("the test itself has segment %d with %v", segment, files)
	}
	own.process.Place = t.TempDir() // the number of the process is another's then
	if _, segment := own.sharedMemory(); segment != -1 {
		t.Errorf("segment %d of a process elsewhere", segment)
	}
}
