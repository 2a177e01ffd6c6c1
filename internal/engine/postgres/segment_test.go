//go:build linux

package postgres

import (
	"os"
	"slices"
	"testing"
)

const someMaps = `55d0a0000000-55d0a0800000 r-xp 00000000 08:01 1234 /usr/lib/postgresql/15/bin/postgres
7f0000000000-7f0000001000 rw-s 00000000 00:01 32769 /SYSV0052e2c1 (deleted)
7f0000002000-7f0000003000 rw-s 00000000 00:01 40 /dev/zero (deleted)
7f0000004000-7f0000005000 rw-s 00000000 00:01 0 /SYSV00000000 (deleted)
7ffc00000000-7ffc00001000 rw-p 00000000 00:00 0 [stack]
`

func TestMappedSegments(t *testing.T) {
	if ids := mappedSegments(someMaps); !slices.Equal(ids, []int{32769, 0}) {
		t.Errorf("segments %v", ids)
	}
}

func FuzzMappedSegments(f *testing.F) {
	f.Add(someMaps)
	f.Add("a b c d -1 /SYSV")
	f.Fuzz(func(t *testing.T, maps string) {
		for _, id := range mappedSegments(maps) {
			if id < 0 {
				t.Errorf("segment %d", id)
			}
		}
	})
}

// TestSharedMemoryOfAServer is told the same by what it has mapped and by its
// lock file; a process that is no server has none.
func TestSharedMemoryOfAServer(t *testing.T) {
	t.Parallel()
	own := startOwn(t, bareConfig(t, oneInstalled(t)))
	lock, err := readLockFile(own.DataDir)
	must(t, err)
	files, segment := own.sharedMemory()
	if segment != lock.segment || len(files) == 0 {
		t.Errorf("segment %d with %v, the lock file says %d", segment, files, lock.segment)
	}
	if files, segment := sharedMemoryOf(os.Getpid()); segment != -1 || files != nil {
		t.Errorf("the test itself has segment %d with %v", segment, files)
	}
	own.process.Place = t.TempDir() // the number of the process is another's then
	if _, segment := own.sharedMemory(); segment != -1 {
		t.Errorf("segment %d of a process elsewhere", segment)
	}
}
