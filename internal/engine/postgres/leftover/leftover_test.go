//go:build linux

package leftover

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestParseLockFile(t *testing.T) {
	whole := "12653\n/data\n1795251877\n5432\n/tmp/s\n\n  9996151        12\nready   \n"
	if got, want := parseLock(whole), (Lock{PID: 12653, Started: 1795251877, Port: "5432", SocketDir: "/tmp/s", Segment: 12}); got != want {
		t.Errorf("got %+v", got)
	}
	for length := range whole { // the server may be killed at any moment
		got := parseLock(whole[:length])
		if got.Segment != -1 && got.Segment != 12 && got.Segment != 1 {
			t.Errorf("%q gave %+v", whole[:length], got)
		}
	}
}

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

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// traps replace a file with something else.
var traps = []struct {
	name string
	set  func(t *testing.T, path, victim string)
}{
	{"symbolic link", func(t *testing.T, path, victim string) { must(t, os.Symlink(victim, path)) }},
	{"FIFO", func(t *testing.T, path, _ string) { must(t, syscall.Mkfifo(path, 0o666)) }},
}

// TestLockFileOfAStranger checks a data directory of a user who may put anything there: nothing
// hangs, and nothing elsewhere is removed.
func TestLockFileOfAStranger(t *testing.T) {
	for _, trap := range traps {
		t.Run(trap.name, func(t *testing.T) {
			dir := t.TempDir()
			victim := filepath.Join(filepath.Dir(dir), "victim")
			must(t, os.WriteFile(victim, []byte("1\n"), 0o600))
			trap.set(t, filepath.Join(dir, LockName), victim)
			done := make(chan error, 1)
			go func() { done <- Clear(t.Context(), dir, "") }()
			select {
			case err := <-done:
				if err == nil {
					t.Error("it is taken for a lock file")
				}
			case <-time.After(2 * time.Minute):
				t.Fatal("it hangs")
			}
		})
	}

	control := filepath.Join(sharedDir, "PostgreSQL.4294967295") // a number that PostgreSQL never assigns
	must(t, syscall.Mkfifo(control, 0o600))
	defer func() { _ = os.Remove(control) }()
	if paths := DynamicSegments(4294967295); paths != nil {
		t.Errorf("a FIFO leads to %v", paths)
	}

	dir, others, own := t.TempDir(), t.TempDir(), t.TempDir()
	for _, sockets := range []string{others, own} {
		must(t, os.WriteFile(filepath.Join(sockets, ".s.PGSQL.5432"), nil, 0o600))
		must(t, os.WriteFile(filepath.Join(sockets, ".s.PGSQL.5432.lock"), []byte("4194999\n"), 0o600))
	}
	for _, sockets := range []string{others, own} {
		lock := "4194999\n" + dir + "\n1\n5432\n" + sockets + "\n\n"
		must(t, os.WriteFile(filepath.Join(dir, LockName), []byte(lock), 0o600))
		must(t, Clear(t.Context(), dir, own))
	}
	for sockets, want := range map[string]int{others: 2, own: 0} {
		if left, err := os.ReadDir(sockets); err != nil || len(left) != want {
			t.Errorf("%d files are left of 2, want %d: %v", len(left), want, err)
		}
	}
}

func FuzzControlledHandles(f *testing.F) {
	f.Add([]byte("\x32\x3d\x50\x9a\x01\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00" + strings.Repeat("\x01", 80)))
	f.Fuzz(func(_ *testing.T, content []byte) { controlledHandles(content) })
}
