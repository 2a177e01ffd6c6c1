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
		got[m.MountPoint] = m.Filesystem
	}
	for _, want := range []Filesystem{
		{"ext4", "rw,relatime,discard,resv_strict,resuid=65534,resgid=65534", "/dev/vda", "/"},
		{"xfs", "rw,noatime,attr2,inode64,noquota", "/dev/sdb1", `/mnt/my disk\two`},
		{"btrfs", "rw,relatime,compress=zstd:3,subvolid=257", "/dev/sdc", "/mnt/btrfs"},
		{"nfs4", "ro,relatime,vers=4.2,hard", "filer:/export one", "/mnt/net"},
	} {
		if got[want.MountPoint] != want {
			t.Errorf("%+v, want %+v", got[want.MountPoint], want)
		}
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

// One mount hides another: the one on top counts.
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

func FuzzParseStat(f *testing.F) {
	f.Add("17 (a) b) S 1 17 17 0")
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := parseStat(text); err == nil && s.state == "" {
			t.Errorf("%q gives %+v", text, s)
		}
	})
}

func TestParseStat(t *testing.T) {
	got, err := parseStat("4242 (odd ) name) S 1 4242 17 0 -1 4194304")
	if want := (stat{"S", 1, 17}); got != want || err != nil {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	for _, text := range []string{"", "17 (a", "17 (a) S x 1 2"} {
		if _, err := parseStat(text); err == nil {
			t.Errorf("%q was understood", text)
		}
	}
}
