package host

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestResolve checks that symbolic links are followed as a process with another root directory follows them.
func TestResolve(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"srv/data/base", "mnt/wal"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"srv/data/pg_wal": "/mnt/wal", "srv/relative": "../mnt/./wal/", "srv/outside": "../../../../mnt", "srv/two": "/srv/relative/..",
		"srv/loop": "loop", "srv/lost": "/etc/passwd",
	} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"/": "", "/srv/data": "/srv/data", "/srv//data/../data/base/": "/srv/data/base", "/srv/data/pg_wal": "/mnt/wal",
		"/srv/relative": "/mnt/wal", "/srv/outside/wal": "/mnt/wal", "/srv/two": "/mnt", "/..": "",
	} {
		if got, err := resolve(root, path); err != nil || got != root+want {
			t.Errorf("%s is %s, %v, want %s", path, got, err, root+want)
		}
	}
	if _, err := resolve(root, "/srv/loop"); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("a circle: %v", err)
	}
	if got, err := resolve(root, "/srv/lost"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link to a file that is only outside is %s, %v", got, err)
	}
}

func TestPathInside(t *testing.T) {
	for path, want := range map[string]string{
		"/proc/12/root/srv/data": "/srv/data", "/proc/12/root": "/", "/proc/12/rooted": "/proc/12/rooted", "/srv/data": "/srv/data",
		"/proc/self/root/srv": "/proc/self/root/srv", "/proc/12/fd/3": "/proc/12/fd/3", "": "",
	} {
		if got := PathInside(path); got != want {
			t.Errorf("%q is %q inside, want %q", path, got, want)
		}
	}
}

// TestPathOf checks that what has the same path for both processes keeps it.
func TestPathOf(t *testing.T) {
	dir := t.TempDir()
	if got, err := PathOf(os.Getpid(), dir); err != nil || got != dir {
		t.Errorf("%s is %s, %v", dir, got, err)
	}
	if got, err := PathOf(os.Getpid(), filepath.Join(dir, "lost")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what does not exist is at %s, %v", got, err)
	}
	if got, err := PathOf(1<<30, dir); err == nil {
		t.Errorf("for no process, it is at %s", got)
	}
}
