package hosttest

import (
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// NeedRoot skips a test that needs root when it has none, and fails it if CI is set in the
// environment, where every test must run.
func NeedRoot(t testing.TB) {
	t.Helper()
	if os.Geteuid() == 0 {
		return
	}
	if os.Getenv("CI") != "" {
		t.Fatal("needs root")
	}
	t.Skip("needs root")
}

// WaitFor waits until so is true. The limit only ends a hang: on a busy machine a process may
// wait for a CPU for seconds.
func WaitFor(t testing.TB, what string, so func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Minute); !so(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// OpenDir creates a directory that every user may enter, unlike t.TempDir(), on a disk even if
// /tmp is in memory, with a path short enough for a socket. The test removes it.
func OpenDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "plinth-test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// OpenFiles returns how many files this process has open.
func OpenFiles(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// KeepFUSE prevents the programs that a test starts from inheriting its descriptors of
// /dev/fuse, which go-fuse opens without O_CLOEXEC: if the test is killed, a program that waits
// for the filesystem would keep its connection open, and wait forever.
func KeepFUSE(t testing.TB) {
	t.Helper()
	descriptors, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range descriptors {
		if to, err := os.Readlink("/proc/self/fd/" + d.Name()); err != nil || to != "/dev/fuse" {
			continue
		}
		if fd, err := strconv.Atoi(d.Name()); err == nil {
			syscall.CloseOnExec(fd)
		}
	}
}
