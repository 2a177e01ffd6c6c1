package host

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"plinth/internal/host/proc"
)

func TestParseMounts(t *testing.T) {
	text, err := os.ReadFile("testdata/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Filesystem{}
	for line := range strings.Lines(string(text)) {
		m, ok := parseMount(line)
		if !ok {
			t.Errorf("not understood: %s", line)
		}
		got[m.MountPoint] = m
	}
	for _, want := range []Filesystem{
		{Type: "ext4", Options: "rw,relatime,discard,resv_strict,resuid=65534,resgid=65534", Source: "/dev/vda", MountPoint: "/", ID: "254:0"},
		{Type: "xfs", Options: "rw,noatime,attr2,inode64,noquota", Source: "/dev/sdb1", MountPoint: `/mnt/my disk\two`, ID: "8:17"},
		{Type: "btrfs", Options: "rw,relatime,compress=zstd:3,subvolid=257", Source: "/dev/sdc", MountPoint: "/mnt/btrfs", ID: "0:50"},
		{Type: "nfs4", Options: "ro,relatime,vers=4.2,hard", Source: "filer:/export one", MountPoint: "/mnt/net", ID: "0:51"},
	} {
		if got[want.MountPoint] != want {
			t.Errorf("%+v, want %+v", got[want.MountPoint], want)
		}
	}
	if got["/mnt/btrfs"].ID != got["/mnt/btrfs2"].ID {
		t.Error("two subvolumes of one btrfs are taken for two filesystems")
	}
	if !got["/dev/shm"].InMemory || got["/"].InMemory {
		t.Errorf("in memory: /dev/shm %v, / %v", got["/dev/shm"].InMemory, got["/"].InMemory)
	}
}

// Two mounts of one filesystem have one identity; filesystems in memory are recognised.
func TestFilesystemIdentity(t *testing.T) {
	needOtherUser(t)
	dir := t.TempDir()
	for _, name := range []string{"original", "bound", "other"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	mount := func(source, name, kind string, flags uintptr) Filesystem {
		t.Helper()
		target := filepath.Join(dir, name)
		if err := syscall.Mount(source, target, kind, flags, ""); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = syscall.Unmount(target, syscall.MNT_DETACH) })
		f, err := FilesystemOf(target)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	original := mount("plinth test", "original", "tmpfs", 0)
	bound := mount(filepath.Join(dir, "original"), "bound", "", syscall.MS_BIND)
	other := mount("plinth test", "other", "tmpfs", 0)
	if original.ID != bound.ID || original.ID == other.ID || original.ID == "" {
		t.Errorf("identities: %q, bound %q, another %q", original.ID, bound.ID, other.ID)
	}
	if root, err := FilesystemOf("/proc"); err != nil || !original.InMemory || root.InMemory {
		t.Errorf("in memory: tmpfs %v, proc %v (%v)", original.InMemory, root.InMemory, err)
	}
}

func TestFilesystemOf(t *testing.T) {
	proc, err := FilesystemOf("/proc/self/status")
	if err != nil || proc.Type != "proc" || proc.MountPoint != "/proc" {
		t.Errorf("of /proc: %+v, %v", proc, err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("/proc/self/status", link); err != nil {
		t.Fatal(err)
	}
	if through, err := FilesystemOf(link); through != proc || err != nil {
		t.Errorf("through a link: %+v, %v", through, err)
	}
	if _, err := FilesystemOf("/nowhere"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of nothing: %v", err)
	}
}

// If one mount hides another, the topmost one counts.
func TestFilesystemOfHiddenMount(t *testing.T) {
	needOtherUser(t)
	dir := filepath.Join(t.TempDir(), "a b")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, options := range []string{"size=1m", "size=2m"} {
		if err := syscall.Mount("plinth test", dir, "tmpfs", 0, options); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	}
	f, err := FilesystemOf(dir)
	if err != nil || f.Type != "tmpfs" || f.Source != "plinth test" || f.MountPoint != dir || !strings.Contains(f.Options, "size=2048k") {
		t.Errorf("%+v, %v", f, err)
	}
	if free, err := FreeSpace(dir); free != 2<<20 || err != nil {
		t.Errorf("free: %d, %v", free, err)
	}
	if total, err := TotalSpace(dir); total != 2<<20 || err != nil {
		t.Errorf("in all: %d, %v", total, err)
	}
	below, err := MountsBelow(filepath.Dir(dir))
	if err != nil || !slices.Equal(below, []string{dir, dir}) {
		t.Errorf("mounts below: %q, %v", below, err)
	}
	if below, err := MountsBelow(dir); err != nil || len(below) != 0 {
		t.Errorf("mounts below itself: %q, %v", below, err)
	}
}

func FuzzParseMount(f *testing.F) {
	text, err := os.ReadFile("testdata/mountinfo")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f.Add(line)
	}
	f.Add(`1 2 3 / / rw - t \04 o\`)
	f.Fuzz(func(t *testing.T, line string) {
		m, ok := parseMount(line)
		if ok && (m.Type == "" || m.MountPoint == "") {
			t.Errorf("%q gives %+v", line, m)
		}
	})
}

// parseMount returns the filesystem of a line of mountinfo.
func parseMount(line string) (Filesystem, bool) {
	for _, m := range proc.Mounts(line) {
		return mounted(m), true
	}
	return Filesystem{}, false
}
