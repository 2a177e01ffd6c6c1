package volume

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
	"plinth/internal/journal"
)

// TestSwappedWhileMaking repeatedly replaces plinth's new directory by a symlink to a precious
// directory, or by that directory itself, as a user who may write in the parent could. The
// precious directory must never change.
func TestSwappedWhileMaking(t *testing.T) {
	user := asRoot(t)
	for name, swap := range map[string]func(precious, path string) error{
		"for a link": func(precious, path string) error {
			if err := os.Rename(path, path+"-moved"); err != nil {
				return err
			}
			return os.Symlink(precious, path)
		},
		"for a directory": func(precious, path string) error {
			return unix.Renameat2(unix.AT_FDCWD, precious, unix.AT_FDCWD, path, unix.RENAME_EXCHANGE)
		},
	} {
		t.Run(name, func(t *testing.T) {
			const wanted = 20
			swaps := 0
			for end := time.Now().Add(patience); swaps < wanted; {
				if swappedOnce(t, user, swap) {
					swaps++
				}
				if time.Now().After(end) {
					t.Fatalf("%d of %d attacks came in time", swaps, wanted)
				}
			}
		})
	}
}

// swappedOnce creates a directory during an attack, prepares it for the server and as a socket
// directory, and reports whether the attack came in between.
func swappedOnce(t *testing.T, user *launch.User, swap func(precious, path string) error) (swapped bool) {
	t.Helper()
	parent, err := os.MkdirTemp("/var/tmp", "plinth-test")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(parent)
	precious, path := filepath.Join(parent, "precious"), filepath.Join(parent, "plinth-x")
	if err := os.Mkdir(precious, 0o700); err != nil {
		t.Fatal(err)
	}
	inode := inodeOf(t, precious)
	if err := os.WriteFile(filepath.Join(precious, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	stop, done := make(chan struct{}), make(chan bool)
	go func() {
		for {
			select {
			case <-stop:
				done <- false
				return
			default:
				if swap(precious, path) == nil {
					done <- true
					return
				}
			}
		}
	}()
	j, err := journal.Open(t.TempDir(), "test")
	if err != nil {
		t.Fatal(err)
	}
	v := &Volume{journal: j}
	dir, err := v.makeDirectory(t.Context(), path, "ABC")
	if err == nil {
		_ = makePrivate(dir, user)
		_ = giveAway(dir, user)
		_ = dir.Close()
	}
	close(stop)
	swapped = <-done
	checkPrecious(t, parent, inode)
	return swapped
}

func inodeOf(t *testing.T, path string) uint64 {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Sys().(*syscall.Stat_t).Ino
}

// checkPrecious checks the directory with the inode in parent, wherever it was moved.
func checkPrecious(t *testing.T, parent string, inode uint64) {
	t.Helper()
	entries, err := os.ReadDir(parent)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		at := filepath.Join(parent, e.Name())
		info, err := os.Lstat(at)
		if err != nil {
			t.Fatal(err)
		}
		stat := info.Sys().(*syscall.Stat_t)
		if stat.Ino != inode {
			continue
		}
		inside, err := os.ReadDir(at)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != fs.ModeDir|0o700 || stat.Uid != 0 || len(inside) != 1 {
			t.Fatalf("the precious directory was changed: mode %v, owner %d, content %v", info.Mode(), stat.Uid, inside)
		}
		return
	}
	t.Fatal("the precious directory is gone")
}

// TestSwappedAfterMaking replaces the path after the directory was opened: changing the owner and
// mounting must apply to the directory that plinth created.
func TestSwappedAfterMaking(t *testing.T) {
	user, parent := asRoot(t), hosttest.OpenDir(t)
	precious := hosttest.OpenDir(t)
	path := filepath.Join(parent, "plinth-x")
	j, err := journal.Open(t.TempDir(), "test")
	if err != nil {
		t.Fatal(err)
	}
	v := &Volume{journal: j}
	dir, err := v.makeDirectory(t.Context(), path, "ABCDEFGHIJ")
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := os.Rename(path, path+"-moved"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(precious, path); err != nil {
		t.Fatal(err)
	}
	target := t.TempDir()
	if err := mountBind(dir, target); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = detach(target) })
	if _, err := os.Stat(filepath.Join(target, markerName)); err != nil {
		t.Errorf("something else was mounted: %v", err)
	}
	for _, err := range []error{makePrivate(dir, user), giveAway(dir, user)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(precious)
	if err != nil || info.Mode().Perm() != 0o755 || info.Sys().(*syscall.Stat_t).Uid != 0 {
		t.Errorf("what the link leads to was changed: %v, %v", info.Mode(), err)
	}
	if entries, _ := os.ReadDir(precious); len(entries) != 0 {
		t.Errorf("something was made where the link leads: %v", entries)
	}
	if err := v.Remove(t.Context()); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("removing: %v", err)
	}
}

// TestALinkIsNotTheDirectoryItself checks that a symlink to another directory in the same parent
// is not followed, as OpenRoot alone would do.
func TestALinkIsNotTheDirectoryItself(t *testing.T) {
	parent := hosttest.OpenDir(t)
	if err := os.Mkdir(parent+"/other", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("other", parent+"/link"); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(parent)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if dir, err := openItself(root, "link"); err == nil {
		_ = dir.Close()
		t.Error("the link was followed")
	}
	dir, err := openItself(root, "other")
	if err != nil {
		t.Fatal(err)
	}
	_ = dir.Close()
}
