package volume

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"plinth/internal/experiment"
	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
	"plinth/internal/journal/journaltest"
	"plinth/internal/unit"
)

// isFreed fails the test if a loop device still has a file.
func isFreed(t *testing.T, device string) {
	t.Helper()
	if file, err := backingFile(device); err != nil || file != "" {
		t.Errorf("%s is still on %q, %v", device, file, err)
	}
}

// onLoop attaches a loop device to a new file.
func onLoop(t *testing.T, file string) (*Volume, string) {
	t.Helper()
	asRoot(t)
	v := &Volume{journal: journaltest.Open(t, Undoers())}
	opened, err := v.makeFile(t.Context(), file, unit.MiB)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	device, err := v.attach(t.Context(), file, opened, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = detachLoop(device) }) // if the test fails
	return v, device
}

// TestFileBehindALink uses a path with a symlink, which the kernel reports resolved.
func TestFileBehindALink(t *testing.T) {
	asRoot(t)
	dir, j := hosttest.OpenDir(t), journaltest.Open(t, Undoers())
	link := filepath.Join(hosttest.OpenDir(t), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	asked := partOf(experiment.Volume{Disk: experiment.Disk{File: filepath.Join(link, "disk"), Size: 64 * unit.MiB}})
	v, err := Make(t.Context(), Options{Journal: j, Launcher: launch.NewLocal(), Name: "x"}, asked)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = detachLoop(v.disks[0].path) }) // if the test fails
	if err := v.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	isFreed(t, v.disks[0].path)
}

// TestLoopOfAFileThatMoved renames the file under a loop device.
func TestLoopOfAFileThatMoved(t *testing.T) {
	dir := hosttest.OpenDir(t)
	v, device := onLoop(t, filepath.Join(dir, "before"))
	if err := os.Rename(filepath.Join(dir, "before"), filepath.Join(dir, "after")); err != nil {
		t.Fatal(err)
	}
	if err := v.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	isFreed(t, device)
}

// TestLoopOfAFileThatWasReplaced replaces the name of a file before it is attached, as a user who may
// write to its directory could.
func TestLoopOfAFileThatWasReplaced(t *testing.T) {
	asRoot(t)
	dir := hosttest.OpenDir(t)
	file, precious := filepath.Join(dir, "disk"), filepath.Join(dir, "precious")
	if err := os.WriteFile(precious, make([]byte, unit.MiB), 0o600); err != nil {
		t.Fatal(err)
	}
	v := &Volume{journal: journaltest.Open(t, Undoers())}
	opened, err := v.makeFile(t.Context(), file, unit.MiB)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	if err := os.Rename(file, file+"-moved"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(precious, file); err != nil {
		t.Fatal(err)
	}
	device, err := v.attach(t.Context(), file, opened, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = detachLoop(device) }) // if the test fails
	if on, err := backingFile(device); err != nil || on != file+"-moved" {
		t.Errorf("the device is on %q, %v", on, err)
	}
	if err := v.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	isFreed(t, device)
	if _, err := os.Stat(precious); err != nil {
		t.Error(err)
	}
}

// TestLoopOfAnotherFileWithTheName attaches the device to another file with the same path: undo
// must leave it alone.
func TestLoopOfAnotherFileWithTheName(t *testing.T) {
	file := filepath.Join(hosttest.OpenDir(t), "disk")
	v, device := onLoop(t, file)
	noted := v.entries[len(v.entries)-1]
	if err := detachLoop(device); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file+"2", make([]byte, unit.MiB), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+"2", file); err != nil {
		t.Fatal(err)
	}
	if err := configureLoop(device, file, file); err != nil {
		t.Fatal(err)
	}
	if err := Undoers()[loopKind](t.Context(), noted.Args); err != nil {
		t.Error(err)
	}
	if on, err := backingFile(device); err != nil || on != file {
		t.Errorf("somebody else's loop device is on %q, %v", on, err)
	}
}

// TestOldLoop attaches a file as kernels before 5.8 do, which have no LOOP_CONFIGURE.
func TestOldLoop(t *testing.T) {
	asRoot(t)
	file := filepath.Join(hosttest.OpenDir(t), "disk")
	if err := os.WriteFile(file, make([]byte, unit.MiB), 0o600); err != nil {
		t.Fatal(err)
	}
	backing := open(t, file)
	var loop *os.File
	var err error = syscall.EBUSY
	for range attachTries { // another process may take the device that is free
		if errors.Is(err, syscall.EBUSY) {
			device, failed := freeLoop()
			if failed != nil {
				t.Fatal(failed)
			}
			loop = open(t, device)
			err = configureOldLoop(int(loop.Fd()), uint32(backing.Fd()), [64]uint8{})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	device := loop.Name()
	t.Cleanup(func() { _ = detachLoop(device) })
	status, err := unix.IoctlLoopGetStatus64(int(loop.Fd()))
	if err != nil || status.Flags&unix.LO_FLAGS_DIRECT_IO == 0 {
		t.Errorf("flags %#x, %v", status.Flags, err)
	}
	if on, err := backingFile(device); err != nil || on != file {
		t.Errorf("it is on %q, %v", on, err)
	}
}

// open opens a file for the length of the test.
func open(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// TestLoopOfAnEmulatorThatEnded undoes a loop device whose file has lost its directory, because
// its emulator ended and unmounted its filesystem.
func TestLoopOfAnEmulatorThatEnded(t *testing.T) {
	withoutMeasuring(t)
	j := journaltest.Open(t, Undoers())
	v, dir, before := makeEmulated(t, j, "ext4")
	e, device := v.Emulators()[0], v.disks[0].path
	t.Cleanup(func() { _ = detachLoop(device) }) // if the test fails
	if err := syscall.Kill(e.PID(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-e.Done()
	if file, err := backingFile(device); err != nil || file != "/image" {
		t.Fatalf("its file is %q, %v", file, err)
	}
	if err := j.PutBack(context.Background(), Undoers()); err != nil {
		t.Error(err)
	}
	isFreed(t, device)
	awaitAll(t, dir, before)
}

// TestLoopOfAnotherEmulator: files of emulators have the same inode, and their filesystems have numbers that are used again.
func TestLoopOfAnotherEmulator(t *testing.T) {
	file := filepath.Join(hosttest.OpenDir(t), "disk")
	_, device := onLoop(t, file)
	id, err := fileID(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		entry loop
		ours  bool
	}{
		{loop{Device: device, File: file, FileID: id, Emulator: "/run/plinth/volume-a/emulator0/fuse"}, true},
		{loop{Device: device, File: runDir + file, FileID: id, Emulator: "/run/plinth/volume-a/emulator0/fuse"}, true}, // through a symlink
		{loop{Device: device, File: "/run/plinth/volume-b/emulator0/fuse/image", FileID: id, Emulator: "/run/plinth/volume-b/emulator0/fuse"}, false},
		{loop{Device: device, File: "/renamed", FileID: id}, true},
	} {
		if ours, err := c.entry.attached(); err != nil || ours != c.ours {
			t.Errorf("%+v is ours: %t, %v", c.entry, ours, err)
		}
	}
}
