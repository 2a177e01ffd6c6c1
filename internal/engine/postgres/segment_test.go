//go:build linux

package postgres

import (
	"os"
	"testing"

	"plinth/internal/engine/postgres/leftover"
)

// TestSharedMemoryOfAServer checks that the server's mappings and its lock file name the same
// shared memory, and that a process that is not a server has none.
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
	own.process.Place = t.TempDir() // then the PID is that of another process
	if _, segment := own.sharedMemory(); segment != -1 {
		t.Errorf("segment %d of a process elsewhere", segment)
	}
}
