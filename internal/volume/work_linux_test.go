package volume

import (
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plinth/internal/hint"
	"plinth/internal/unit"
)

// stallAfter makes the limits short for the time of a test.
func stallAfter(t *testing.T, limit time.Duration) {
	t.Helper()
	stall, abort := stallLimit, abortLimit
	stallLimit, abortLimit = limit, limit
	t.Cleanup(func() { stallLimit, abortLimit = stall, abort })
}

// An unmount may take as long as it will while its disk works.
func TestADiskThatWorksIsWaitedFor(t *testing.T) {
	asRoot(t)
	stallAfter(t, 500*time.Millisecond)
	device := testLoop(t, unit.MiB)
	f, err := os.OpenFile(device, os.O_WRONLY|unix.O_SYNC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	began := time.Now()
	err = orAbort("unmount it", device, nil, func() error {
		for time.Since(began) < 4*stallLimit {
			if _, err := f.WriteAt(make([]byte, 4096), 0); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || time.Since(began) < 4*stallLimit {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
}

// One that has stopped is not, whatever other disks do.
func TestADiskThatHangsIsGivenUp(t *testing.T) {
	asRoot(t)
	stallAfter(t, 200*time.Millisecond)
	hung := make(chan struct{})
	defer close(hung)
	err := orAbort("unmount it", testLoop(t, unit.MiB), nil, func() error { <-hung; return nil })
	if err == nil || !strings.Contains(err.Error(), "cannot unmount it: its device does not answer") || hint.Of(err) == "" {
		t.Errorf("error is %v", err)
	}
}

// What is in flight on a disk that hangs is no work: the kernel counts its time on.
func TestFinished(t *testing.T) {
	const stat = "  10 2 300 4  50 6 700 8  9 1000 1100  12 13 1400 15  16 17"
	if got := finished(stat); got != "10 50 12 16" {
		t.Errorf("got %q", got)
	}
	if got := finished("10 2 300 4 50 6 700 8 9 1000 1100"); got != "10 50" { // before Linux 4.18
		t.Errorf("got %q", got)
	}
}
