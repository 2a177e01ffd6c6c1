package hosttest

import (
	"os"
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

// WaitFor waits until it is so, and fails after ten seconds.
func WaitFor(t testing.TB, what string, so func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(10 * time.Second); !so(); <-tick.C {
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
