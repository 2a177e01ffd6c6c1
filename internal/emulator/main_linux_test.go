package emulator

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"plinth/internal/device"
	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
)

// TestMain lets this test binary act as a guard and as an emulator.
func TestMain(m *testing.M) {
	launch.GuardMain()
	mainOnThread()
	os.Exit(m.Run())
}

const testSize = 64 << 20

// testForm is the form of the emulators that tests start.
var testForm = FUSE

// begin starts an emulator of d and stops it at the end of the test.
func begin(t testing.TB, d device.Device) *Emulator {
	t.Helper()
	hosttest.NeedRoot(t)
	return beginOn(t, d, backingFile(t))
}

// backingFile returns a file on the disk of /var/tmp: a test's own directory may be in memory,
// and its path too long for a socket.
func backingFile(t testing.TB) string {
	t.Helper()
	backing := filepath.Join(hosttest.OpenDir(t), "backing")
	if err := os.WriteFile(backing, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(backing, testSize); err != nil {
		t.Fatal(err)
	}
	return backing
}

func beginOn(t testing.TB, d device.Device, backing string) *Emulator {
	t.Helper()
	dir := filepath.Dir(backing)
	mount := filepath.Join(dir, "mount")
	if err := os.MkdirAll(mount, 0o700); err != nil {
		t.Fatal(err)
	}
	e, err := Start(context.Background(), launch.NewLocal(), Config{Form: testForm, Mount: mount, Backing: backing, Size: testSize,
		Device: d, Seed: 1, Socket: filepath.Join(dir, "control")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// The test's own context is already cancelled.
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := e.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
	return e
}

// loop attaches a loop device with direct I/O to the image of e. The kernel removes it after its
// last close.
func loop(t testing.TB, e *Emulator) *os.File {
	t.Helper()
	if e.config.Form == NBD { // already a block device
		return direct(t, e.Image())
	}
	control, err := os.OpenFile("/dev/loop-control", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer control.Close()
	image, err := os.OpenFile(e.Image(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer image.Close()
	for range 100 {
		number, err := unix.IoctlRetInt(int(control.Fd()), unix.LOOP_CTL_GET_FREE)
		if err != nil {
			t.Fatal(err)
		}
		device, err := os.OpenFile(fmt.Sprintf("/dev/loop%d", number), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		config := unix.LoopConfig{Fd: uint32(image.Fd()),
			Info: unix.LoopInfo64{Flags: unix.LO_FLAGS_AUTOCLEAR | unix.LO_FLAGS_DIRECT_IO}}
		if err = unix.IoctlLoopConfigure(int(device.Fd()), &config); err == nil {
			t.Cleanup(func() { _ = device.Close() })
			return device
		}
		_ = device.Close() // another test was faster
	}
	t.Fatal("no free loop device")
	return nil
}

// direct opens path again with direct I/O.
func direct(t testing.TB, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_DIRECT, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// page returns 8 KiB of one letter, aligned for direct I/O.
func page(t testing.TB, letter byte) []byte {
	t.Helper()
	p, err := unix.Mmap(-1, 0, 8192, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(p) })
	copy(p, bytes.Repeat([]byte{letter}, len(p)))
	return p
}
