//go:build linux

package postgres

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"plinth/internal/engine/life"
	"plinth/internal/engine/postgres/leftover"
	"plinth/internal/host/hosttest"
)

// TestShutFilesystem cuts the power of a filesystem under a server: everything not synced is lost
// and every access fails until it is mounted again.
func TestShutFilesystem(t *testing.T) {
	for _, filesystem := range []string{"ext4", "xfs"} {
		t.Run(filesystem, func(t *testing.T) { cutPower(t, filesystem) })
	}
}

func cutPower(t *testing.T, filesystem string) {
	disk := loopDisk(t, filesystem)
	config := bareConfig(t, oneInstalled(t))
	config.DataDir = disk.dir
	config.Experiment.Durability.Fault = "power-cut"
	delete(config.Experiment.Settings, "fsync")
	own := startOwn(t, config)
	must(t, own.Load(t.Context(), nil))
	w, err := own.Witness(t.Context(), witnesses)
	must(t, err)
	awaitCommits(t, own, witnesses, 2)
	disk.shut(t)
	must(t, own.Kill(t.Context()))
	disk.unmount(t)
	if _, err := own.Recover(t.Context()); err == nil {
		t.Error("recovered without its volume")
	}
	disk.mount(t)
	_, err = own.Recover(t.Context())
	must(t, err)
	mustHaveAll(t, own, w)
	must(t, own.Check(t.Context()))
}

// loop is a filesystem in a file, with a directory of the server's user.
type loop struct{ filesystem, device, at, dir string }

func loopDisk(t *testing.T, filesystem string) *loop {
	t.Helper()
	hosttest.NeedRoot(t)
	at := filepath.Dir(testDir(t))
	image := filepath.Join(t.TempDir(), "image")
	writeFile(t, image, "")
	must(t, os.Truncate(image, 400<<20))
	tool(t, "mkfs."+filesystem, "-q", image)
	l := &loop{filesystem: filesystem, device: tool(t, "losetup", "--find", "--show", image), at: filepath.Join(at, "m")}
	t.Cleanup(func() { tool(t, "losetup", "--detach", l.device) })
	must(t, os.Mkdir(l.at, 0o755))
	t.Cleanup(func() { _ = l.free(context.Background()) }) // in case the test has not
	l.mount(t)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the kernel's log:\n%s", hosttest.KernelLog(l.device))
		}
	})
	l.dir = filepath.Join(l.at, "data")
	must(t, os.Mkdir(l.dir, 0o700))
	if user := testUser(t); user != nil {
		must(t, os.Chown(l.dir, user.UID, user.GID))
	}
	tool(t, "sync", "-f", l.dir) // of this filesystem alone
	return l
}

func tool(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
	return strings.TrimSpace(string(out))
}

// mount mounts the filesystem until it can be read. Once, on a busy machine, XFS answered EIO
// after it was mounted following its power cut. The test is about the server, so it tries again
// and logs the kernel's messages.
func (l *loop) mount(t *testing.T) {
	t.Helper()
	must(t, life.Poll(t.Context(), patience, func() bool {
		must(t, unix.Mount(l.device, l.at, l.filesystem, 0, ""))
		_, err := os.ReadDir(filepath.Join(l.at, "data"))
		if err == nil || errors.Is(err, fs.ErrNotExist) { // it is new
			return true
		}
		t.Logf("mounted, and cannot be read: %v; the kernel's log:\n%s", err, hosttest.KernelLog(l.device))
		l.unmount(t)
		return false
	}))
}

func (l *loop) unmount(t *testing.T) { t.Helper(); must(t, l.free(t.Context())) }

// free unmounts the filesystem. It waits while another process, which may be scanning all mounts,
// holds it.
func (l *loop) free(ctx context.Context) (err error) {
	late := life.Poll(ctx, patience, func() bool {
		err = unix.Unmount(l.at, 0)
		return !errors.Is(err, unix.EBUSY)
	})
	return errors.Join(late, err)
}

// shut issues EXT4_IOC_SHUTDOWN, or XFS_IOC_GOINGDOWN, without flushing the journal.
func (l *loop) shut(t *testing.T) {
	t.Helper()
	const shutdown, noLogFlush = 0x8004587d, 2
	dir, err := os.Open(l.at)
	must(t, err)
	defer func() { _ = dir.Close() }()
	must(t, unix.IoctlSetPointerInt(int(dir.Fd()), shutdown, noLogFlush))
}

// TestKillOfAHungServer checks that Kill does not wait for processes that are blocked on a disk
// that no longer responds.
func TestKillOfAHungServer(t *testing.T) {
	disk := loopDisk(t, "ext4")
	config := bareConfig(t, oneInstalled(t))
	config.DataDir = disk.dir
	own := startOwn(t, config)
	must(t, own.Load(t.Context(), nil))
	w, err := own.Witness(t.Context(), witnesses)
	must(t, err)
	awaitCommits(t, own, witnesses, 2)
	disk.freeze(t, true)
	defer disk.freeze(t, false)
	hangs := func() bool {
		return slices.ContainsFunc(leftover.ProcessesAt(own.process.Place), func(pid int) bool { return life.State(pid) == "D" })
	}
	must(t, life.Poll(t.Context(), patience, hangs))
	must(t, own.Kill(t.Context()))
	if !hangs() {
		t.Error("nothing hangs: the test sees nothing")
	}
	disk.freeze(t, false)
	_, err = own.Recover(t.Context())
	must(t, err)
	mustHaveAll(t, own, w)
}

// freeze blocks all writes, or allows them again: FIFREEZE and FITHAW. Thawing a filesystem that
// is not frozen is not an error here.
func (l *loop) freeze(t *testing.T, on bool) {
	t.Helper()
	const freeze, thaw = 0xc0045877, 0xc0045878
	dir, err := os.Open(l.at)
	must(t, err)
	defer func() { _ = dir.Close() }()
	if on {
		must(t, unix.IoctlSetInt(int(dir.Fd()), freeze, 0))
		return
	}
	_ = unix.IoctlSetInt(int(dir.Fd()), thaw, 0)
}
