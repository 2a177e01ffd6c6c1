package emulator

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plinth/internal/device"
	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
)

// cached is a device with a write cache and no delay.
var cached = device.Device{Name: "cached", WriteCache: true}

// write writes a page of one letter, as the user of a block device does.
func write(t testing.TB, f *os.File, letter byte, offset int64) {
	t.Helper()
	if _, err := f.WriteAt(page(t, letter), offset); err != nil {
		t.Fatal(err)
	}
}

func letterAt(t testing.TB, f *os.File, offset int64) byte {
	t.Helper()
	p := page(t, '?')
	if _, err := f.ReadAt(p, offset); err != nil {
		t.Fatal(err)
	}
	return p[0]
}

func TestPowerCut(t *testing.T) {
	e := begin(t, cached)
	f := direct(t, e.Image())
	write(t, f, 'a', 0)
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	write(t, f, 'b', 0)
	write(t, f, 'c', 8192)
	if got := letterAt(t, f, 0); got != 'b' {
		t.Errorf("what was written last reads as %c", got)
	}
	if err := e.PowerCut(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadAt(page(t, '?'), 0); !errors.Is(err, syscall.EIO) {
		t.Errorf("without power a read says %v", err)
	}
	if err := f.Sync(); !errors.Is(err, syscall.EIO) {
		t.Errorf("without power a flush says %v", err)
	}
	if err := e.PowerOn(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := letterAt(t, f, 0); got != 'a' {
		t.Errorf("what was flushed reads as %c", got)
	}
	if got := letterAt(t, f, 8192); got != 0 {
		t.Errorf("what was not flushed reads as %c", got)
	}
	if r := reading(t, e); r.Errors < 2 || r.Flushes != 1 || r.InFlight != 0 {
		t.Errorf("%+v", r)
	}
}

// TestPowerCutInFlight checks that requests waiting for their time fail at once.
func TestPowerCutInFlight(t *testing.T) {
	e := begin(t, device.Device{})
	f := direct(t, e.Image()) // opened first, because the kernel reads the partition table of a block device
	become(t, e, constant(time.Minute))
	ended := make(chan error, 1)
	p := page(t, 'x')
	go func() {
		_, err := f.WriteAt(p, 0)
		ended <- err
	}()
	await(t, func() bool { return reading(t, e).InFlight == 1 })
	if err := e.PowerCut(t.Context()); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if !errors.Is(err, syscall.EIO) {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(patience / 2): // less than the model's minute
		t.Error("it still waits")
	}
}

// patience is the timeout of tests; it only ends a hang.
const patience = time.Minute

// await waits until the condition is true.
func await(t testing.TB, is func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); !is(); <-tick.C {
		if time.Now().After(end) {
			t.Fatal("it never happened")
		}
	}
}

// TestWithoutCache checks that acknowledged writes are in the backing file, even after a kill.
func TestWithoutCache(t *testing.T) {
	backing := backingFileAsRoot(t)
	e := beginOn(t, constant(time.Millisecond), backing)
	f := direct(t, e.Image())
	write(t, f, 'd', 8192)
	if err := e.PowerCut(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(e.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-e.Done()
	data, err := os.ReadFile(backing)
	if err != nil || !bytes.Equal(data[8192:16384], page(t, 'd')) || data[0] != 0 {
		t.Errorf("the backing file holds %q (%v)", data[8192], err)
	}
}

func backingFileAsRoot(t testing.TB) string {
	t.Helper()
	hosttest.NeedRoot(t)
	return backingFile(t)
}

// TestOrderlyEnd checks that a stopped emulator writes its cache first.
func TestOrderlyEnd(t *testing.T) {
	backing := backingFileAsRoot(t)
	e := beginOn(t, cached, backing)
	f := direct(t, e.Image())
	write(t, f, 'e', 0)
	_ = f.Close()
	if err := e.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := e.Err(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if data, err := os.ReadFile(backing); err != nil || data[0] != 'e' {
		t.Errorf("the backing file holds %q (%v)", data[0], err)
	}
	if m, err := mountedOn(e.config.Mount); err != nil || m.Type != "" {
		t.Errorf("%+v is still mounted (%v)", m, err)
	}
}

// TestKilled checks that operations fail instead of hanging, that the reason is reported, and
// that the mount can be removed.
func TestKilled(t *testing.T) {
	e := begin(t, device.Device{})
	l := direct(t, loop(t, e).Name())
	become(t, e, constant(time.Minute))
	ended := make(chan error, 1)
	p := page(t, 'x')
	go func() {
		_, err := l.WriteAt(p, 0)
		ended <- err
	}()
	await(t, func() bool { return reading(t, e).InFlight == 1 })
	if e.Err() != nil {
		t.Errorf("it runs, and has ended with %v", e.Err())
	}
	if err := e.Ended(t.Context()); err != nil {
		t.Errorf("it runs, and has ended: %v", err)
	}
	if err := syscall.Kill(e.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("a write succeeded that nobody did")
	}
	// The device fails before the guard notices the exit.
	if err := e.Ended(t.Context()); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("it has ended: %v", err)
	}
	<-e.Done()
	if err := e.Err(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("it says of its end: %v", err)
	}
	if _, err := e.Reading(t.Context()); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("a reading says: %v", err)
	}
	if err := End(t.Context(), e.config.Place()); err != nil {
		t.Error(err)
	}
	if err := End(t.Context(), e.config.Place()); err != nil {
		t.Errorf("twice: %v", err)
	}
}

// TestStopped checks that End works on an emulator that does not respond.
func TestStopped(t *testing.T) {
	e := begin(t, device.Device{})
	l := direct(t, loop(t, e).Name())
	if err := syscall.Kill(e.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	p := page(t, 'x')
	go func() {
		_, err := l.WriteAt(p, 0)
		ended <- err
	}()
	short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := e.Reading(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a reading says %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := End(ctx, e.config.Place()); err != nil {
		t.Error(err)
	}
	if err := <-ended; err == nil {
		t.Error("a write succeeded that nobody did")
	}
	if err := e.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestNotOurs checks that End refuses a filesystem that does not belong to an emulator.
func TestNotOurs(t *testing.T) {
	hosttest.NeedRoot(t)
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Unmount(dir, unix.MNT_DETACH) }()
	if err := End(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "tmpfs") {
		t.Errorf("%v", err)
	}
	if m, _ := mountedOn(dir); m.Type != "tmpfs" {
		t.Error("it was unmounted")
	}
}

// TestFull uses a backing disk with less space than the image claims.
func TestFull(t *testing.T) {
	hosttest.NeedRoot(t)
	dir, err := os.MkdirTemp("/var/tmp", "plinth-test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	backing := filepath.Join(dir, "backing")
	if err := errors.Join(os.WriteFile(backing, nil, 0o600), os.Truncate(backing, testSize)); err != nil {
		t.Fatal(err)
	}
	e := beginOn(t, device.Device{}, backing)
	f := direct(t, e.Image())
	p := page(t, 'f')
	for offset := int64(0); offset < 4<<20 && err == nil; offset += pageSize {
		_, err = f.WriteAt(p, offset)
	}
	if !errors.Is(err, syscall.EIO) {
		t.Errorf("a full disk says %v", err)
	}
	if r := reading(t, e); r.Errors == 0 || !strings.Contains(r.FirstError, "no space left") {
		t.Errorf("%d errors, the first one %q", r.Errors, r.FirstError)
	}
}

// TestRefusals checks invalid configurations.
func TestRefusals(t *testing.T) {
	hosttest.NeedRoot(t)
	backing := backingFile(t)
	dir := filepath.Dir(backing)
	good := Config{Mount: dir, Backing: backing, Size: testSize, Socket: filepath.Join(dir, "control")}
	for want, change := range map[string]func(*Config){
		"not absolute":        func(c *Config) { c.Mount = "here" },
		"not a multiple":      func(c *Config) { c.Size = 4097 },
		"longer than":         func(c *Config) { c.Socket = filepath.Join(dir, strings.Repeat("x", 100)) },
		"no such file":        func(c *Config) { c.Backing = filepath.Join(dir, "nothing") },
		"instead of":          func(c *Config) { c.Size = 4096 },
		"name is missing":     func(c *Config) { c.Device.IOPS.Rate = 1 },
		"cannot mount a FUSE": func(c *Config) { c.Mount = filepath.Join(dir, "nothing") },
		"cannot listen":       func(c *Config) { c.Socket = filepath.Join(dir, "nothing", "control") },
		"is a directory":      func(c *Config) { c.Backing, c.Size = dir, 4096 },
		"is not a form":       func(c *Config) { c.Form = "floppy" },
	} {
		c := good
		change(&c)
		e, err := Start(t.Context(), launch.NewLocal(), c)
		if err == nil {
			_ = e.Stop(t.Context())
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, which does not say %q", err, want)
		}
	}
}
