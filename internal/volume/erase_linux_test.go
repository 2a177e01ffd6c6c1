package volume

import (
	"os"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host/launch"
	"plinth/internal/journal/journaltest"
	"plinth/internal/unit"
)

// TestDevicesThatAreNotFree checks that a device in use is rejected, with or without erase, and
// that unused contents may be erased if allowed.
func TestDevicesThatAreNotFree(t *testing.T) {
	asRoot(t)
	for name, tc := range map[string]struct {
		prepare func(t *testing.T, device string) string
		text    string
		always  bool // rejected even with erase: true
	}{
		"empty": {func(_ *testing.T, d string) string { return d }, "", false},
		"a filesystem": {func(t *testing.T, d string) string {
			tool(t, "mkfs.ext4", "-q", "-L", "precious", d)
			return d
		}, "with ext4 labelled precious", false},
		"a partition table": {func(t *testing.T, d string) string {
			partition(t, d)
			return d
		}, "dos partition table", false},
		"mounted": {func(t *testing.T, d string) string {
			tool(t, "mkfs.ext4", "-q", d)
			target := t.TempDir()
			tool(t, "mount", d, target)
			t.Cleanup(func() { tool(t, "umount", target) })
			return d
		}, "it is mounted at ", true},
		"a mounted btrfs": {func(t *testing.T, d string) string {
			tool(t, "mkfs.btrfs", "-q", d)
			target := t.TempDir()
			tool(t, "mount", d, target)
			t.Cleanup(func() { tool(t, "umount", target) })
			return d
		}, "it is mounted at ", true},
		"swap": {func(t *testing.T, d string) string {
			tool(t, "mkswap", d)
			tool(t, "swapon", d)
			t.Cleanup(func() { tool(t, "swapoff", d) })
			return d
		}, "used as swap", true},
		"under a loop device": {func(t *testing.T, d string) string {
			loop := tool(t, "losetup", "--find", "--show", d)
			t.Cleanup(func() { tool(t, "losetup", "--detach", loop) })
			return d
		}, "it is under loop", true},
		"read only": {func(t *testing.T, d string) string {
			tool(t, "blockdev", "--setro", d)
			t.Cleanup(func() { tool(t, "blockdev", "--setrw", d) })
			return d
		}, "is read-only", true},
		"claimed by somebody": {func(t *testing.T, d string) string {
			claimIt(t, d)
			return d
		}, "is in use", true},
		"unreadable": {func(t *testing.T, d string) string { unread(t, d); return d }, "(128MiB, contents unknown): input/output error", true},
		"unreadable and claimed": {func(t *testing.T, d string) string {
			claimIt(t, d)
			unread(t, d)
			return d
		}, "(128MiB, contents unknown) is in use", true},
		"not there":       {func(_ *testing.T, d string) string { return d + "-nowhere" }, "no such file", true},
		"no block device": {func(t *testing.T, _ string) string { return t.TempDir() }, "not a block device", true},
	} {
		t.Run(name, func(t *testing.T) {
			path := tc.prepare(t, testLoop(t, 128*unit.MiB))
			for _, erase := range []bool{false, true} {
				part := partOf(experiment.Volume{Disk: experiment.Disk{Device: path, Erase: erase}})
				err := Check(t.Context(), Options{Launcher: launch.NewLocal()}, part)
				if refused := tc.text != "" && (tc.always || !erase); refused {
					if err == nil || !strings.Contains(err.Error(), tc.text) || !strings.Contains(err.Error(), path) || hint.Of(err) == "" {
						t.Errorf("erase %v: error is %v (hint %q)", erase, err, hint.Of(err))
					}
				} else if err != nil {
					t.Errorf("erase %v: %v", erase, err)
				}
			}
		})
	}
}

// claimIt keeps a device open exclusively, which only another exclusive open can detect.
func claimIt(t *testing.T, device string) {
	t.Helper()
	f, err := os.OpenFile(device, os.O_RDONLY|exclusive, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
}

// unread makes a loop device unreadable by truncating its file.
func unread(t *testing.T, device string) {
	t.Helper()
	file, err := backingFile(device)
	if err == nil {
		err = os.Truncate(file, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// partition writes a partition table (MBR: one partition of type Linux).
func partition(t *testing.T, device string) {
	t.Helper()
	table := make([]byte, 512)
	copy(table[446:], []byte{0, 0, 2, 0, 0x83, 0, 0, 0, 1, 0, 0, 0, 0xff, 0xff, 0, 0})
	copy(table[510:], []byte{0x55, 0xaa})
	f, err := os.OpenFile(device, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(table); err != nil {
		t.Fatal(err)
	}
}

func TestErasesNamesWhatIsThere(t *testing.T) {
	asRoot(t)
	device := testLoop(t, 64*unit.MiB)
	part := partOf(experiment.Volume{Disk: experiment.Disk{Device: device, Erase: true}})
	erased, err := Erases(t.Context(), launch.NewLocal(), part)
	if err != nil || len(erased) != 0 {
		t.Errorf("of an empty one: %v, %v", erased, err)
	}
	tool(t, "mkfs.ext4", "-q", device)
	erased, err = Erases(t.Context(), launch.NewLocal(), part)
	if err != nil || len(erased) != 1 || erased[0] != device+" (64MiB, with ext4)" {
		t.Errorf("it is %q, %v", erased, err)
	}
}

// TestNothingIsErasedUnasked checks that without erase: true the contents of a device are not
// touched, even if they appeared after the check.
func TestNothingIsErasedUnasked(t *testing.T) {
	asRoot(t)
	j, device := journaltest.Open(t, Undoers()), testLoop(t, 64*unit.MiB)
	tool(t, "mkfs.ext4", "-q", device)
	before := tool(t, "sha256sum", device)
	_, err := Make(t.Context(), Options{Journal: j, Launcher: launch.NewLocal(), Name: "x"}, partOf(experiment.Volume{Disk: experiment.Disk{Device: device}}))
	if err == nil || !strings.Contains(err.Error(), "is not empty") || len(j.Entries()) != 0 {
		t.Errorf("error is %v, journal %v", err, j.Entries())
	}
	if after := tool(t, "sha256sum", device); after != before {
		t.Error("the device was changed")
	}
}

// TestOnlyOurFilesystemIsWiped checks that undo wipes the filesystem that plinth created and no
// other.
func TestOnlyOurFilesystemIsWiped(t *testing.T) {
	asRoot(t)
	for _, name := range []string{"ext4", "xfs", "btrfs"} {
		device := testLoop(t, 320*unit.MiB)
		f := filesystems[name]
		m := made{Device: device, Filesystem: name, UUID: newUUID()}
		tool(t, f.mkfs.name, append(f.arguments(m.UUID, nil), device)...)
		other := m
		other.UUID = newUUID()
		undo(t, other)
		if ours, err := f.signature.isOn(device, m.UUID); err != nil || !ours {
			t.Errorf("%s: somebody else's was wiped: %v, %v", name, ours, err)
		}
		target := t.TempDir()
		tool(t, "mount", device, target)
		if err := m.undo(t.Context()); err == nil || !strings.Contains(err.Error(), "in use") {
			t.Errorf("%s: mounted: %v", name, err)
		}
		tool(t, "umount", target)
		undo(t, m)
		undo(t, m)
		if found, err := readSignature(t.Context(), launch.NewLocal(), device); err != nil || found != "" {
			t.Errorf("%s: left: %q, %v", name, found, err)
		}
	}
}
