package hosttest

import (
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// NeedRoot skips a test that needs root where it has none, and fails it where CI is set
// in the environment: there everything is to be tested.
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

// WaitFor waits until it is so. The limit only ends a hang: on a busy machine a process
// may wait for a CPU for seconds.
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

// OpenDir is a directory that everybody may enter, unlike t.TempDir(), on a disk even
// where /tmp is memory, and with a path that is short enough for a socket. It goes when
// the test ends.
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

// OpenFiles is how many files this process holds open.
func OpenFiles(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// KeepFUSE keeps the programs that a test starts from inheriting its descriptors of /dev/fuse,
// which go-fuse opens without O_CLOEXEC: were the test killed, a program that waits for the
// filesystem would hold the connection to it open, and wait forever.
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
