package volume

import (
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/host/launch"
	"plinth/internal/unit"
)

// TestFilesystemsAreFoundUnderNewNames simulates a boot that gives the device another name, and
// its old name to another device.
func TestFilesystemsAreFoundUnderNewNames(t *testing.T) {
	asRoot(t)
	for name, noted := range map[string]func(*testing.T) string{
		"no such device": func(*testing.T) string { return "/dev/loop-none" },
		"somebody else's": func(t *testing.T) string {
			device := testLoop(t, 64*unit.MiB)
			tool(t, "mkfs.ext4", "-q", device)
			return device
		},
	} {
		t.Run(name, func(t *testing.T) {
			device, ext4 := testLoop(t, 64*unit.MiB), filesystems["ext4"]
			m := made{Device: noted(t), Filesystem: "ext4", UUID: newUUID()}
			tool(t, "mkfs.ext4", append(ext4.arguments(m.UUID, nil), device)...)
			undo(t, m)
			if found, err := readSignature(t.Context(), launch.NewLocal(), device); err != nil || found != "" {
				t.Errorf("left: %q, %v", found, err)
			}
			if _, err := os.Stat(m.Device); err == nil {
				if found, err := readSignature(t.Context(), launch.NewLocal(), m.Device); err != nil || found != "ext4" {
					t.Errorf("somebody else's is %q, %v", found, err)
				}
			}
		})
	}
}

// TestFilesystemsAreFoundByTheirLink checks that the path given in the experiment leads to the
// device without a search.
func TestFilesystemsAreFoundByTheirLink(t *testing.T) {
	asRoot(t)
	device, link := testLoop(t, 64*unit.MiB), filepath.Join(t.TempDir(), "by-id")
	if err := os.Symlink(device, link); err != nil {
		t.Fatal(err)
	}
	m := made{Device: "/dev/none", Given: link, Filesystem: "ext4", UUID: newUUID()}
	tool(t, "mkfs.ext4", append(filesystems["ext4"].arguments(m.UUID, nil), device)...)
	undo(t, m)
	if found, err := readSignature(t.Context(), launch.NewLocal(), device); err != nil || found != "" {
		t.Errorf("left: %q, %v", found, err)
	}
}

// TestUnreadableDevicesStayInTheJournal checks that an unreadable device is an error.
func TestUnreadableDevicesStayInTheJournal(t *testing.T) {
	err := made{Device: t.TempDir(), Filesystem: "xfs", UUID: newUUID()}.undo(t.Context())
	if err == nil {
		t.Error("it is forgotten")
	}
}

// TestMembersAreFoundUnderNewNames checks that a member is found by mdadm's superblock.
func TestMembersAreFoundUnderNewNames(t *testing.T) {
	asRoot(t)
	calls := fakeArrays(t)
	a := array{Device: arrayPrefix + "127", UUID: newUUID(), Members: []string{"/dev/loop-none"}}
	ours, other := testLoop(t, unit.MiB), testLoop(t, unit.MiB)
	markMember(t, ours, a.UUID)
	markMember(t, other, newUUID())
	if err := fakeMdadm(filepath.Dir(calls), []string{"--create", a.Device, "--uuid=" + mdUUID(a.UUID), ours, ours}); err != nil {
		t.Fatal(err)
	}
	undo(t, a)
	text, err := os.ReadFile(calls)
	if err != nil || !strings.Contains(string(text), "--zero-superblock "+ours+"\n") || strings.Contains(string(text), other) {
		t.Errorf("%v; calls are\n%s", err, text)
	}
}

// markMember writes the parts of mdadm's superblock that plinth reads.
func markMember(t *testing.T, device, uuid string) {
	t.Helper()
	id, err := hex.DecodeString(strings.ReplaceAll(uuid, "-", ""))
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(device, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, magicErr := f.WriteAt([]byte(mdMark.magic), mdMark.at)
	_, idErr := f.WriteAt(id, mdMark.uuid)
	if err := errors.Join(magicErr, idErr, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestPoolsAreClearedWhereTheyAre checks that only a device with our pool's label is cleared,
// because the recorded name may belong to another device now. It uses fake zpool and blkid
// programs.
func TestPoolsAreClearedWhereTheyAre(t *testing.T) {
	asRoot(t)
	dir := t.TempDir()
	ours, other := testLoop(t, unit.MiB), testLoop(t, unit.MiB)
	for name, script := range map[string]string{
		"zpool": "echo \"$@\" >>" + dir + "/calls\n[ $1 = list ] && echo plinth-abcdefghijkl\nexit 0\n",
		"blkid": "case $4 in " + ours + ") echo LABEL=plinth-abcdefghijkl;; " + other + ") echo LABEL=tank;; *) exit 2;; esac\necho TYPE=zfs_member\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	undo(t, pool{Name: "plinth-abcdefghijkl", Device: other})
	want := "list -H -o name\ndestroy -f plinth-abcdefghijkl\nlabelclear -f " + ours + "\n"
	if text, err := os.ReadFile(filepath.Join(dir, "calls")); err != nil || string(text) != want {
		t.Errorf("%v; calls are\n%s, want\n%s", err, text, want)
	}
}
