package volume

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
	"plinth/internal/journal/journaltest"
	"plinth/internal/unit"
)

func marshal(t *testing.T, args any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// undo undoes a change found in a journal.
func undo(t *testing.T, c change) {
	t.Helper()
	if err := Undoers()[c.kind()](t.Context(), marshal(t, c)); err != nil {
		t.Errorf("%+v: %v", c, err)
	}
}

// TestUndoersRefuseWhatIsNotOurs checks that undoers reject incomplete or implausible journal
// entries.
func TestUndoersRefuseWhatIsNotOurs(t *testing.T) {
	for _, c := range []change{
		file{Path: "relative", ID: "1-1.000000000"},
		emulated{Mount: "/mnt"},
		loop{Device: "/dev/sda", File: "/x"},
		setting{File: "/etc/passwd", Was: "a", Set: "b"},
		array{Device: "/dev/sda"},
		made{Device: "/dev/null", Filesystem: "ext3"},
		pool{Name: "tank"},
		mount{Target: "/home", Source: "/dev/sda1"},
	} {
		name := c.kind()
		if err := Undoers()[name](t.Context(), marshal(t, c)); err == nil {
			t.Errorf("%s: %+v is undone", name, c)
		}
		if err := Undoers()[name](t.Context(), json.RawMessage("[]")); err == nil {
			t.Errorf("%s: nonsense is undone", name)
		}
	}
}

// TestUndoingWhatIsNotThere checks that undoing a step that was never done, or whose result is
// gone, succeeds.
func TestUndoingWhatIsNotThere(t *testing.T) {
	asRoot(t)
	dir := hosttest.OpenDir(t)
	foreign := filepath.Join(dir, "foreign")
	if err := os.WriteFile(foreign, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	undo(t, file{Path: foreign, ID: "1-1.000000000"})
	undo(t, file{Path: dir + "/none", ID: "1-1.000000000"})
	undo(t, emulated{Mount: runDir + "/volume-x/emulator0/fuse"})
	undo(t, mount{Target: runDir + "/volume-x/mount", Source: "/dev/loop0"})
	undo(t, array{Device: "/dev/md999", UUID: newUUID(), Members: []string{"/dev/none"}})
	undo(t, made{Device: "/dev/none", Filesystem: "xfs", UUID: newUUID()})
	undo(t, setting{File: "/sys/block/none/queue/scheduler", Was: "none", Set: "bfq"})
	undo(t, pool{Name: "plinth-abcdefghijkl", Device: "/dev/none"})
	loop := loop{Device: testLoop(t, unit.MiB), File: dir + "/another"}
	undo(t, loop)
	if file, err := backingFile(loop.Device); err != nil || file == "" {
		t.Errorf("somebody else's loop device was freed: %q, %v", file, err)
	}
	if text, _ := os.ReadFile(foreign); string(text) != "precious" {
		t.Errorf("somebody else's file holds %q", text)
	}
}

// TestSettingsArePutBackUnlessChanged checks that settings are restored, except those that were
// changed by others since.
func TestSettingsArePutBackUnlessChanged(t *testing.T) {
	asRoot(t)
	device, j := testLoop(t, unit.MiB), journaltest.Open(t, Undoers())
	v := &Volume{journal: j}
	for _, set := range []struct{ name, value string }{{"read_ahead_kb", "512"}, {"scheduler", "mq-deadline"}, {"write_cache", "write through"}} {
		dir, err := queueDir(device)
		if err != nil {
			t.Fatal(err)
		}
		before, _ := readSetting(dir + "/" + set.name)
		if err := v.set(t.Context(), device, set.name, set.value, ""); err != nil {
			t.Fatal(err)
		}
		if now, _ := readSetting(dir + "/" + set.name); now != set.value {
			t.Errorf("%s is %s, want %s", set.name, now, set.value)
		}
		if err := v.Remove(t.Context()); err != nil {
			t.Fatal(err)
		}
		if now, _ := readSetting(dir + "/" + set.name); now != before {
			t.Errorf("%s is %s, was %s", set.name, now, before)
		}
	}
	if err := v.set(t.Context(), device, "read_ahead_kb", "512", ""); err != nil {
		t.Fatal(err)
	}
	tool(t, "blockdev", "--setra", "64", device)
	if err := v.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ahead := tool(t, "blockdev", "--getra", device); ahead != "64" {
		t.Errorf("somebody else's read-ahead of 64 is %s", ahead)
	}
	for _, wrong := range [][2]string{{"scheduler", "nonsense"}, {"nothing", "1"}} {
		if err := v.set(t.Context(), device, wrong[0], wrong[1], ""); err == nil {
			t.Errorf("%v is set", wrong)
		}
	}
}

// TestSettingsOfAnotherBootAreLeft checks that settings recorded before a reboot are not
// restored.
func TestSettingsOfAnotherBootAreLeft(t *testing.T) {
	asRoot(t)
	device, j := testLoop(t, unit.MiB), journaltest.Open(t, Undoers())
	v := &Volume{journal: j}
	if err := v.set(t.Context(), device, "read_ahead_kb", "512", ""); err != nil {
		t.Fatal(err)
	}
	var noted setting
	if err := json.Unmarshal(v.entries[0].Args, &noted); err != nil || noted.Boot != host.BootID() || noted.Boot == "" {
		t.Fatalf("%+v, %v", noted, err)
	}
	noted.Boot = "another"
	undo(t, noted)
	if now := readWord(noted.File); now != "512" {
		t.Errorf("after another boot it was put back to %s", now)
	}
}

// TestEachProgramFails makes each program fail, before or after its work: the earlier steps are
// undone, and the error includes the program's message.
func TestEachProgramFails(t *testing.T) {
	asRoot(t)
	withoutMeasuring(t)
	for _, tc := range []struct {
		program string
		volume  func(*testing.T, string) experiment.Volume
	}{
		{"mkfs.ext4", onFile("ext4", 64*unit.MiB)},
		{"mkfs.xfs", onFile("xfs", 320*unit.MiB)},
		{"mount", onFile("ext4", 64*unit.MiB)},
		{"mount", func(_ *testing.T, dir string) experiment.Volume { return experiment.Volume{Disk: emulatedDisk(dir)} }},
		{"wipefs", func(t *testing.T, _ string) experiment.Volume {
			device := testLoop(t, 64*unit.MiB)
			tool(t, "mkfs.ext4", "-q", device)
			return experiment.Volume{Disk: experiment.Disk{Device: device, Erase: true}}
		}},
		{"mdadm", kinds[len(kinds)-1].volume},
	} {
		for _, when := range []string{"before", "after"} {
			t.Run(tc.program+" "+when, func(t *testing.T) {
				dir, j := hosttest.OpenDir(t), journaltest.Open(t, Undoers())
				asked := tc.volume(t, dir)
				before := allOf(t, dir)
				path, err := launch.FindProgram(tc.program)
				if err != nil {
					t.Fatal(err)
				}
				failing(t, tc.program, path, when)
				_, err = Make(t.Context(), Options{Journal: j, Launcher: launch.NewLocal(), Owner: serverUser(t), Name: "x"}, partOf(asked))
				if err == nil || !strings.Contains(err.Error(), tc.program+" failed with exit code 32: on purpose") {
					t.Errorf("error is %v", err)
				}
				awaitAll(t, dir, before)
				if left := j.Entries(); len(left) != 0 {
					t.Errorf("left in the journal: %v", left)
				}
			})
		}
	}
}

// failing puts a failing program of that name into PATH, which fails instead of, or after,
// running path. It fails only once, because undoing needs mdadm, too.
func failing(t *testing.T, name, path, when string) {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\n[ -e " + dir + "/failed ] && exec " + path + ` "$@"` + "\ntouch " + dir + "/failed\n"
	if when == "after" {
		script += path + ` "$@"` + "\n"
	}
	script += "echo on purpose >&2\nexit 32\n"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// TestFilesThatCannotBeMade checks that an existing file is not touched, and that a missing
// directory and a full disk are reported.
func TestFilesThatCannotBeMade(t *testing.T) {
	asRoot(t)
	dir, full := hosttest.OpenDir(t), hosttest.OpenDir(t)
	if err := os.WriteFile(dir+"/taken", []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	tool(t, "mount", "-t", "tmpfs", "-o", "size=8m", "none", full)
	t.Cleanup(func() { tool(t, "umount", full) })
	for path, text := range map[string]string{
		dir + "/taken": "already exists", dir + "/none/x": "no such", full + "/x": "no space left", "/proc/x": "",
	} {
		j := journaltest.Open(t, Undoers())
		asked := experiment.Volume{Disk: experiment.Disk{File: path, Size: 64 * unit.MiB}}
		if err := Check(t.Context(), Options{Launcher: launch.NewLocal()}, partOf(asked)); err == nil || hint.Of(err) == "" {
			t.Errorf("%s: check says %v (hint %q)", path, err, hint.Of(err))
		}
		_, err := Make(t.Context(), Options{Journal: j, Launcher: launch.NewLocal(), Name: "x"}, partOf(asked))
		if err == nil || !strings.Contains(err.Error(), text) || len(j.Entries()) != 0 {
			t.Errorf("%s: error is %v, journal %v", path, err, j.Entries())
		}
	}
	if text, _ := os.ReadFile(dir + "/taken"); string(text) != "precious" {
		t.Errorf("what was in the way holds %q", text)
	}
}
