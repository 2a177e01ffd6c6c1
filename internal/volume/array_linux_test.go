package volume

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/host/hosttest"
	"plinth/internal/journal/journaltest"
	"plinth/internal/unit"
)

func membersIn(dir string, n int) []experiment.Disk {
	var members []experiment.Disk
	for i := range n {
		members = append(members, experiment.Disk{File: filepath.Join(dir, string(rune('a'+i))), Size: 64 * unit.MiB})
	}
	return members
}

// What mdadm is told, in order, with the names that differ each time cut out.
func TestArrayCommands(t *testing.T) {
	asRoot(t)
	calls := fakeArrays(t)
	o := Options{Journal: journaltest.Open(t, Undoers()), Launcher: host.NewLocal(), Owner: serverUser(t), Name: "x"}
	v, err := Make(t.Context(), o, partOf(experiment.Volume{RAID: "0", Chunk: 64 * unit.KiB, Members: membersIn(hosttest.OpenDir(t), 2)}))
	if err != nil {
		t.Fatal(err)
	}
	devices := []string{v.disks[0].path, v.disks[1].path}
	if made := v.Facts().Made; len(made) != 4 || made[2] != "RAID 0 of 2 devices, chunk 64KiB" {
		t.Errorf("made are %q", made)
	}
	if err := v.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(calls)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.NewReplacer(devices[0], "A", devices[1], "B", arrayPrefix, "/dev/md").Replace(string(text))
	before, after, _ := strings.Cut(got, "--uuid=")
	uuid, after, _ := strings.Cut(after, " ")
	if want := "--create /dev/md127 --run --level=0 --raid-devices=2 --chunk=64 "; before != want || strings.Count(uuid, ":") != 3 {
		t.Errorf("it is made by %q, UUID %q", before, uuid)
	}
	want := `A B
--detail --export /dev/md127
--stop /dev/md127
--examine --export A
--zero-superblock A
--examine --export B
--zero-superblock B
`
	if after != want {
		t.Errorf("then\n%s\nwant\n%s", after, want)
	}
}

// An array, or a member, that is somebody else's by now is left alone.
func TestForeignArrayIsLeftAlone(t *testing.T) {
	asRoot(t)
	calls := fakeArrays(t)
	member := testLoop(t, unit.MiB)
	a := array{Device: arrayPrefix + "127", UUID: newUUID(), Members: []string{member}}
	if err := fakeMdadm(filepath.Dir(calls), []string{"--create", a.Device, "--uuid=" + mdUUID(newUUID()), member, member}); err != nil {
		t.Fatal(err)
	}
	undo(t, undoArray, a)
	text, err := os.ReadFile(calls)
	if err != nil || strings.Contains(string(text), "--stop") || strings.Contains(string(text), "--zero") {
		t.Errorf("%v; calls are\n%s", err, text)
	}
}

// An mdadm that cannot be started, or is ended, has not said that an array is not ours.
func TestArrayStaysInTheJournalUnlessMdadmSaysNo(t *testing.T) {
	asRoot(t)
	member := testLoop(t, unit.MiB)
	for name, script := range map[string]string{"no program": "\x7f", "killed": "#!/bin/sh\nkill -9 $$\n"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "mdadm"), []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
			for _, device := range []string{member, arrayPrefix + "none"} {
				a := array{Device: device, UUID: newUUID(), Members: []string{member}}
				before := arrayPrefix
				arrayPrefix = "/dev/"
				err := undoArray(t.Context(), marshal(t, a))
				arrayPrefix = before
				if err == nil || !strings.Contains(err.Error(), "mdadm") {
					t.Errorf("%s: error is %v", device, err)
				}
			}
		})
	}
}

// Real arrays, where the kernel has them.
func TestRealArrays(t *testing.T) {
	asRoot(t)
	if err := needArray("1"); err != nil {
		if os.Getenv("PLINTH_TEST_MD") != "" {
			t.Fatal(err)
		}
		if hint.Of(err) == "" {
			t.Errorf("%v has no hint", err)
		}
		t.Skip(err)
	}
	for level, n := range map[string]int{"0": 2, "1": 2, "10": 4} {
		dir, j := hosttest.OpenDir(t), journaltest.Open(t, Undoers())
		before := allOf(t, dir)
		asked := experiment.Volume{RAID: level, Members: membersIn(dir, n), Mount: []string{"noatime"}}
		o := Options{Journal: j, Launcher: host.NewLocal(), Owner: serverUser(t), Name: "x"}
		if err := Check(t.Context(), o, partOf(asked)); err != nil {
			t.Fatal(err)
		}
		v, err := Make(t.Context(), o, partOf(asked))
		if err != nil {
			t.Fatal(err)
		}
		if f := v.Facts(); !strings.HasPrefix(f.Device, "md") {
			t.Errorf("RAID %s: facts are %+v", level, f)
		}
		asServer(t, o.Owner, "/bin/dd", "if=/dev/zero", "of="+v.Path+"/1", "bs=8k", "count=4", "conv=fsync", "status=none")
		for range 2 {
			if err := v.Remove(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		awaitAll(t, dir, before)
	}
}
