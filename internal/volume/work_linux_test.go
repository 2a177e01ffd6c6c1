package volume

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plinth/internal/hint"
	"plinth/internal/unit"
)

// An unmount may take as long as it will while its disk works.
func TestADiskThatWorksIsWaitedFor(t *testing.T) {
	tick, ended := make(chan time.Time), errors.New("it ended")
	looks := 0
	rested := func() time.Duration {
		looks++
		return waits.stall
	}
	err := abortWhere("unmount it", nil, tick, rested, func() error {
		for range 100 { // hours, in which each look finds that it has worked in the last minute
			tick <- time.Time{}
		}
		return ended
	})
	if !errors.Is(err, ended) || looks != 100 {
		t.Errorf("after %d looks: %v", looks, err)
	}
}

// One that has stopped is not, whatever other disks do.
func TestADiskThatHangsIsGivenUp(t *testing.T) {
	asRoot(t)
	before := waits
	waits.stall, waits.abort = 200*time.Millisecond, 200*time.Millisecond
	t.Cleanup(func() { waits = before })
	hung := make(chan struct{})
	defer close(hung)
	err := orAbort("unmount it", testLoop(t, unit.MiB), nil, func() error { <-hung; return nil })
	if err == nil || !strings.Contains(err.Error(), "cannot unmount it: its device does not answer") || hint.Of(err) == "" {
		t.Errorf("error is %v", err)
	}
}

// A disk works when the kernel has counted another operation of it.
func TestRested(t *testing.T) {
	asRoot(t)
	device := testLoop(t, unit.MiB)
	disk := watchWork(device)
	atFirst := disk.since
	if disk.rested(); disk.since != atFirst {
		t.Error("nothing was asked of it, and it worked")
	}
	f, err := os.OpenFile(device, os.O_WRONLY|unix.O_SYNC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(make([]byte, 4096), 0); err != nil {
		t.Fatal(err)
	}
	if took := disk.rested(); !disk.since.After(atFirst) || took > time.Since(atFirst) {
		t.Errorf("it has written, and rested for %v", took)
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
