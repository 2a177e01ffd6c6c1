package volume

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
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

// TestArrayCommands checks mdadm's arguments, in order, with the names that vary replaced.
func TestArrayCommands(t *testing.T) {
	asRoot(t)
	calls := fakeArrays(t)
	o := Options{Journal: journaltest.Open(t, Undoers()), Launcher: launch.NewLocal(), Owner: serverUser(t), Name: "x"}
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

// TestForeignArrayIsLeftAlone checks that an array or a member with another UUID is left alone.
func TestForeignArrayIsLeftAlone(t *testing.T) {
	asRoot(t)
	calls := fakeArrays(t)
	member := testLoop(t, unit.MiB)
	a := array{Device: arrayPrefix + "127", UUID: newUUID(), Members: []string{member}}
	if err := fakeMdadm(filepath.Dir(calls), []string{"--create", a.Device, "--uuid=" + mdUUID(newUUID()), member, member}); err != nil {
		t.Fatal(err)
	}
	undo(t, a)
	text, err := os.ReadFile(calls)
	if err != nil || strings.Contains(string(text), "--stop") || strings.Contains(string(text), "--zero") {
		t.Errorf("%v; calls are\n%s", err, text)
	}
}

// TestArrayStaysInTheJournalUnlessMdadmSaysNo checks that an error of mdadm itself is not taken
// for a foreign array.
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
				err := a.undo(t.Context())
				arrayPrefix = before
				if err == nil || !strings.Contains(err.Error(), "mdadm") {
					t.Errorf("%s: error is %v", device, err)
				}
			}
		})
	}
}

// needMD skips a test if the kernel has no md; with PLINTH_TEST_MD set, that is an error.
func needMD(t *testing.T) {
	t.Helper()
	asRoot(t)
	err := needArray("1")
	switch {
	case err == nil:
	case os.Getenv("PLINTH_TEST_MD") != "":
		t.Fatal(err)
	case hint.Of(err) == "":
		t.Errorf("%v has no hint", err)
	default:
		t.Skip(err)
	}
}

// running returns the arrays of this kernel.
func running(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob("/sys/block/md*")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(found, " ")
}

// TestRealArrays creates real arrays, if the kernel supports them: they match the request, a
// server can use them, and nothing is left.
func TestRealArrays(t *testing.T) {
	needMD(t)
	for _, tc := range []struct {
		level, kernel string
		members       int
		chunk         unit.Size
	}{{"0", "raid0", 2, 64 * unit.KiB}, {"1", "raid1", 2, 0}, {"10", "raid10", 4, 256 * unit.KiB}} {
		t.Run(tc.kernel, func(t *testing.T) {
			dir, j := hosttest.OpenDir(t), journaltest.Open(t, Undoers())
			before, arrays := allOf(t, dir), running(t)
			asked := experiment.Volume{RAID: tc.level, Chunk: tc.chunk, Members: membersIn(dir, tc.members),
				ReadAhead: 8 * unit.MiB, Mount: []string{"noatime"}}
			o := Options{Journal: j, Launcher: launch.NewLocal(), Owner: serverUser(t), Name: "x"}
			if err := Check(t.Context(), o, partOf(asked)); err != nil {
				t.Fatal(err)
			}
			v, err := Make(t.Context(), o, partOf(asked))
			if err != nil {
				t.Fatal(err)
			}
			f := v.Facts()
			sys := "/sys/block/" + f.Device
			for file, want := range map[string]string{"md/level": tc.kernel, "md/raid_disks": strconv.Itoa(tc.members),
				"md/chunk_size": strconv.FormatInt(int64(tc.chunk), 10), "queue/read_ahead_kb": "8192", "md/sync_action": "idle"} {
				if got := readWord(filepath.Join(sys, file)); got != want && (tc.level != "0" || file != "md/sync_action") {
					t.Errorf("%s is %q, want %q", file, got, want)
				}
			}
			if !strings.HasPrefix(f.Device, "md") || len(f.Disks) == 0 || !strings.Contains(f.Options, "noatime") {
				t.Errorf("facts are %+v", f)
			}
			asServer(t, o.Owner, "/bin/dd", "if=/dev/zero", "of="+v.Path+"/1", "bs=8k", "count=4", "conv=fsync", "status=none")
			for range 2 {
				if err := v.Remove(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			awaitAll(t, dir, before)
			if after := running(t); after != arrays {
				t.Errorf("the arrays are %q, and were %q", after, arrays)
			}
		})
	}
}

// TestRealArraySurvivesAKill kills a plinth before it creates an array, after that, and once the
// array is mounted. Another plinth undoes what the journal names.
func TestRealArraySurvivesAKill(t *testing.T) {
	needMD(t)
	k := kind{name: "array", entries: arraySteps,
		volume: func(_ *testing.T, dir string) experiment.Volume {
			return experiment.Volume{RAID: "1", Members: membersIn(dir, 2)}
		}}
	arrays := running(t)
	for _, steps := range []int{len(k.entries) - 1, len(k.entries), len(k.entries) + 1} {
		k.killedAfter(t, steps)
		if after := running(t); after != arrays {
			t.Fatalf("killed after %d steps: the arrays are %q, and were %q", steps, after, arrays)
		}
	}
}

// TestRealArrayOfAnotherName assembles an array under another name, as the kernel does after a
// boot: it is stopped nevertheless, and its members have no superblock left.
func TestRealArrayOfAnotherName(t *testing.T) {
	needMD(t)
	one, two := testLoop(t, 64*unit.MiB), testLoop(t, 64*unit.MiB)
	device, err := freeArray()
	if err != nil {
		t.Fatal(err)
	}
	a := array{Device: device, UUID: newUUID(), Members: []string{one, two}}
	asked := experiment.Volume{RAID: "1"}
	tool(t, "mdadm", createArguments(a.Device, asked, a.Members, mdUUID(a.UUID))...)
	tool(t, "mdadm", "--stop", a.Device)
	other := arrayPrefix + "77"
	tool(t, "mdadm", "--assemble", other, one, two)
	t.Cleanup(func() { _, _ = mdadmProgram.undo(context.Background(), "--stop", other) }) // if the test fails
	for range 2 {
		undo(t, a)
	}
	if left := running(t); strings.Contains(left, "md77") {
		t.Errorf("left running: %s", left)
	}
	for _, member := range a.Members {
		if c, err := readContent(t.Context(), launch.NewLocal(), member); err != nil || c.signature != "" || c.unknown != nil {
			t.Errorf("%s carries %q still, %v, %v", member, c.signature, err, c.unknown)
		}
	}
}

// TestRealArrayOfAStoppedEmulator checks that an array with an emulated member that no longer
// responds is removed without waiting for it.
func TestRealArrayOfAStoppedEmulator(t *testing.T) {
	needMD(t)
	withoutMeasuring(t)
	for _, level := range []string{"0", "1"} {
		t.Run("raid"+level, func(t *testing.T) {
			user, j, dir := asRoot(t), journaltest.Open(t, Undoers()), hosttest.OpenDir(t)
			before, arrays := allOf(t, dir), running(t)
			asked := experiment.Volume{RAID: level, Members: []experiment.Disk{emulatedDisk(dir), emulatedDisk(dir)}}
			v, err := Make(t.Context(), Options{Journal: j, Launcher: launch.NewLocal(), Owner: user, Name: "x", Seed: 1}, partOf(asked))
			if err != nil {
				t.Fatal(err)
			}
			if e := v.Facts().Emulation; e == nil || e.Model.Array == nil || e.Model.Array.Members != 2 || !strings.HasPrefix(v.Facts().Device, "md") {
				t.Errorf("facts are %+v, %+v", v.Facts(), e)
			}
			asServer(t, user, "/bin/dd", "if=/dev/zero", "of="+v.Path+"/1", "bs=8k", "count=4", "conv=fsync", "status=none")
			pid := v.Emulators()[1].PID()
			if err := stopOne(pid); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) }) // if the test fails
			removed := make(chan error, 1)
			go func() { removed <- v.Remove(t.Context()) }()
			select {
			case err := <-removed:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(2 * patience): // each of three programs may take undoLimit
				t.Fatal("it does not return")
			}
			awaitAll(t, dir, before)
			if after := running(t); after != arrays {
				t.Errorf("the arrays are %q, and were %q", after, arrays)
			}
		})
	}
}
