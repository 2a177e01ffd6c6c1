package hosttest

import (
	"io"
	"os"
	"syscall"
	"testing"
)

// kernelLock is locked by tests that change what all processes of a machine share: the tests of
// several packages run at once.
const kernelLock = "/tmp/plinth-kernel-test.lock"

// HoldKernel waits until no other test changes the kernel's knobs, and blocks others until the
// file is closed.
func HoldKernel() (io.Closer, error) {
	lock, err := os.OpenFile(kernelLock, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	return lock, syscall.Flock(int(lock.Fd()), syscall.LOCK_EX)
}

// LockKernel is HoldKernel until a test ends.
func LockKernel(t testing.TB) {
	t.Helper()
	lock, err := HoldKernel()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Close() })
}
