package hosttest

import (
	"os"
	"testing"
)

// A test that is killed leaves its lock as it is: the next one restores the values.
func TestHoldKernelRestores(t *testing.T) {
	NeedRoot(t)
	const path = "/proc/sys/vm/vfs_cache_pressure"
	lock, err := HoldKernel()
	if err != nil {
		t.Fatal(err)
	}
	was := value(path)
	if err := os.WriteFile(path, []byte("89"), 0); err != nil {
		t.Fatal(err)
	}
	// Closing the file alone leaves it as a kill does.
	if err := lock.(kernelHold).file.Close(); err != nil {
		t.Fatal(err)
	}
	LockKernel(t)
	if now := value(path); now != was {
		t.Errorf("%s is %s, and was %s", path, now, was)
	}
}
