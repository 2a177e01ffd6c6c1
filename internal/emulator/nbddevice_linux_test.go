package emulator

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"plinth/internal/device"
	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
)

// needNBD skips the test if the kernel has no nbd; with PLINTH_TEST_NBD set, that is an error
// (scripts/vm sets it).
func needNBD(t testing.TB) {
	t.Helper()
	hosttest.NeedRoot(t)
	loadNBD(t.Context(), launch.NewLocal())
	if err := Available(NBD); err != nil {
		if os.Getenv("PLINTH_TEST_NBD") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

// asNBD makes the emulators of a test use the form NBD.
func asNBD(t testing.TB) {
	t.Helper()
	needNBD(t)
	testForm = NBD
	t.Cleanup(func() { testForm = FUSE })
}

// TestNBD runs the tests of emulators in the form NBD.
func TestNBD(t *testing.T) {
	asNBD(t)
	for name, test := range map[string]func(*testing.T){
		"power cut": TestPowerCut, "power cut in flight": TestPowerCutInFlight, "without a cache": TestWithoutCache,
		"orderly end": TestOrderlyEnd, "killed": TestKilled, "stopped": TestStopped, "full": TestFull,
		"no guard": TestNoEmulatorWithoutAGuard, "ended while it starts": TestEndedWhileItStarts, "strangers": TestStrangers,
		"never quicker than the model": TestNeverQuickerThanTheModel, "many at once": TestManyAtOnce, "path": TestPath, "longest": TestLongest,
	} {
		t.Run(name, test)
		awaitFree(t)
	}
}

// awaitFree waits until the kernel has released all devices.
func awaitFree(t testing.TB) {
	t.Helper()
	all, _ := filepath.Glob(sysBlock + "/nbd*")
	await(t, func() bool { return len(freeNBDs()) == len(all) })
}

// TestNBDQueue checks that the queue attributes of the device match its model.
func TestNBDQueue(t *testing.T) {
	asNBD(t)
	for want, d := range map[string]device.Device{"write back": cached, "write through": {}} {
		queue := filepath.Join(sysBlock, filepath.Base(begin(t, d).Image()), "queue")
		got := map[string]string{}
		for _, name := range []string{"write_cache", "logical_block_size", "discard_granularity", "fua"} {
			got[name] = readLine(filepath.Join(queue, name))
		}
		forced := "0"
		if d.WriteCache {
			forced = "1"
		}
		if got["write_cache"] != want || got["logical_block_size"] != "512" || got["discard_granularity"] != "512" || got["fua"] != forced {
			t.Errorf("%s: its queue is %v", want, got)
		}
	}
}

// TestNBDDiscards checks that a discard frees space in the backing file.
func TestNBDDiscards(t *testing.T) {
	asNBD(t)
	backing := backingFileAsRoot(t)
	f := direct(t, beginOn(t, device.Device{}, backing).Image())
	for at := int64(0); at < 1<<20; at += pageSize {
		write(t, f, 'd', at)
	}
	taken := func() int64 {
		info, err := os.Stat(backing)
		if err != nil {
			t.Fatal(err)
		}
		return info.Sys().(*syscall.Stat_t).Blocks * 512
	}
	before := taken()
	if err := discard(f, 0, 1<<20); err != nil {
		t.Fatal(err)
	}
	if letter := letterAt(t, f, 0); letter != 0 || taken() > before-1<<19 {
		t.Errorf("after a discard it reads as %c, and takes %d bytes of %d", letter, taken(), before)
	}
}

// TestNBDsAreTakenOnce checks that emulators get separate devices, and that a lack of devices is
// reported.
func TestNBDsAreTakenOnce(t *testing.T) {
	asNBD(t)
	free := len(freeNBDs())
	seen := map[string]bool{}
	for range 3 {
		seen[begin(t, device.Device{}).Image()] = true
	}
	if len(seen) != 3 || len(freeNBDs()) != free-3 {
		t.Errorf("three emulators have %v, and %d of %d are free", seen, len(freeNBDs()), free)
	}
	if form, err := BestForm(t.Context(), launch.NewLocal(), 1); form != NBD || err != nil {
		t.Errorf("the best form is %q, %v", form, err)
	}
	if form, err := BestForm(t.Context(), launch.NewLocal(), 1000); form != FUSE || err != nil {
		t.Errorf("the best form of a thousand is %q, %v", form, err)
	}
	t.Setenv(FormVariable, string(NBD))
	if _, err := BestForm(t.Context(), launch.NewLocal(), 1000); err == nil || !strings.Contains(err.Error(), "1000 devices with nbd") {
		t.Errorf("a thousand of them: %v", err)
	}
}

// TestNBDTakenAway checks that the emulator ends with a reason if another process disconnects its
// device.
func TestNBDTakenAway(t *testing.T) {
	asNBD(t)
	e := begin(t, device.Device{})
	f := direct(t, e.Image())
	if err := ioctl(f, nbdDisconnectIoctl); err != nil {
		t.Fatal(err)
	}
	<-e.Done()
	if err := e.Err(); err == nil || !strings.Contains(err.Error(), e.Image()+" was disconnected by another process") {
		t.Errorf("it ended with %v", err)
	}
	if _, err := f.ReadAt(page(t, '?'), 0); !errors.Is(err, syscall.EIO) {
		t.Errorf("a read says %v", err)
	}
}

// nbdDisconnectIoctl is NBD_DISCONNECT of linux/nbd.h.
const nbdDisconnectIoctl = 0xab08

func ioctl(f *os.File, what uint) error { return unix.IoctlSetInt(int(f.Fd()), what, 0) }

// discard discards a range, like blkdiscard(8).
func discard(f *os.File, offset, size uint64) error {
	const blkDiscard = 0x1277
	span := [2]uint64{offset, size}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), blkDiscard, uintptr(unsafe.Pointer(&span)))
	if errno != 0 {
		return errno
	}
	return nil
}
