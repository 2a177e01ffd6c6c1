package hosttest

import (
	"os"
	"syscall"
	"testing"
)

// kernelLock is a file that tests hold which change what all processes of a machine
// share: the tests of several packages run at once.
const kernelLock = "/tmp/plinth-kernel-test.lock"

// LockKernel waits until no other test changes the kernel's knobs, and keeps others
// from it until the test ends.
func LockKernel(t testing.TB) {
	t.Helper()
	lock, err := os.OpenFile(kernelLock, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Close() })
}
