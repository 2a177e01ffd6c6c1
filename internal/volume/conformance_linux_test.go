package volume

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/emulator"
	"plinth/internal/experiment"
	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
	"plinth/internal/journal"
	"plinth/internal/journal/journaltest"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// kind is one kind of volume; all tests of this file run for each.
type kind struct {
	name string
	// volume returns a volume in dir, a directory for this test.
	volume func(t *testing.T, dir string) experiment.Volume
	// entries are the expected kinds of journal entries, in order.
	entries []string
	check   func(t *testing.T, facts record.Volume)
	again   bool // takes the same steps as another kind, so it is not killed at each of them
}

// slow is a device that is easy to distinguish from the disk behind it.
var slow = device.Device{Name: "slow", WriteCache: true,
	Read: ms(2), Write: ms(8), Flush: ms(8),
	// Too large to limit anything: it only distinguishes the model from a pass-through.
	IOPS: device.Limit{Rate: 1e6, BurstRate: 2e6, Burst: 1e6}}

func ms(n int) device.Latency {
	return device.Latency{Median: unit.Duration(time.Duration(n) * time.Millisecond)}
}

func emulatedDisk(dir string) experiment.Disk {
	model := slow
	return experiment.Disk{Emulate: experiment.Emulation{Name: "slow", Model: &model}, Backing: dir}
}

// cacheSetting is a setting of a device's write cache. Whether it is needed depends on the
// device's earlier use: the kernel remembers that a write cache was turned off.
const cacheSetting = settingKind + " of write_cache"

// aheadSetting is the setting of a real disk's read-ahead. Whether it is needed depends on the kernel.
const aheadSetting = settingKind + " of read_ahead_kb"

var (
	fileSteps     = []string{directoryKind, fileKind, loopKind, aheadSetting, mountKind}
	emulatedSteps = []string{directoryKind, fileKind, emulatorKind, loopKind, aheadSetting, mountKind}
	arraySteps    = []string{directoryKind, fileKind, loopKind, fileKind, loopKind, arrayKind, mountKind}
)

var kinds = []kind{
	{name: "directory", entries: []string{directoryKind},
		volume: func(_ *testing.T, dir string) experiment.Volume { return experiment.Volume{Directory: dir} }},
	{name: "file ext4", again: true, entries: fileSteps, volume: onFile("ext4", 64*unit.MiB), check: isLikeADisk(isFilesystem("ext4"))},
	{name: "file xfs", again: true, entries: fileSteps, volume: onFile("xfs", 320*unit.MiB), check: isLikeADisk(isFilesystem("xfs"))},
	{name: "file btrfs", again: true, entries: fileSteps, volume: onFile("btrfs", 256*unit.MiB), check: isFilesystem("btrfs")},
	{name: "file with settings", entries: []string{directoryKind, fileKind, loopKind, settingKind, settingKind, mountKind},
		volume: func(t *testing.T, dir string) experiment.Volume {
			v := onFile("ext4", 64*unit.MiB)(t, dir)
			v.ReadAhead, v.Scheduler, v.Mount = 4*unit.MiB, "mq-deadline", []string{"noatime"}
			return v
		}, check: areSettings},
	{name: "device", again: true, entries: []string{directoryKind, filesystemKind, mountKind},
		volume: func(t *testing.T, _ string) experiment.Volume {
			return experiment.Volume{Disk: experiment.Disk{Device: testLoop(t, 64*unit.MiB)}}
		}, check: isFilesystem("ext4")},
	{name: "device to erase", entries: []string{directoryKind, filesystemKind, mountKind},
		volume: func(t *testing.T, _ string) experiment.Volume {
			device := testLoop(t, 320*unit.MiB)
			tool(t, "mkfs.ext4", "-q", device)
			return experiment.Volume{Disk: experiment.Disk{Device: device, Erase: true}, Filesystem: "xfs"}
		}, check: isFilesystem("xfs")},
	{name: "emulated ext4", entries: slices.Insert(slices.Clone(emulatedSteps), 4, cacheSetting),
		volume: func(_ *testing.T, dir string) experiment.Volume {
			d := emulatedDisk(dir)
			d.Emulate.Model.WriteCache, d.Emulate.Model.Flush = false, device.Latency{}
			return experiment.Volume{Disk: d}
		}, check: isLikeADisk(isEmulated("ext4"))},
	{name: "emulated xfs", again: true, entries: emulatedSteps,
		volume: func(_ *testing.T, dir string) experiment.Volume {
			return experiment.Volume{Disk: emulatedDisk(dir), Filesystem: "xfs"}
		}, check: isLikeADisk(isEmulated("xfs"))},
	{name: "array", entries: arraySteps,
		volume: func(t *testing.T, dir string) experiment.Volume {
			fakeArrays(t)
			var members []experiment.Disk
			for _, name := range []string{"one", "two"} {
				members = append(members, experiment.Disk{File: filepath.Join(dir, name), Size: 64 * unit.MiB})
			}
			return experiment.Volume{RAID: "1", Members: members}
		}, check: isFilesystem("ext4")},
}

func onFile(filesystem string, size unit.Size) func(*testing.T, string) experiment.Volume {
	return func(_ *testing.T, dir string) experiment.Volume {
		return experiment.Volume{Disk: experiment.Disk{File: filepath.Join(dir, "disk.img"), Size: size}, Filesystem: filesystem}
	}
}

func isFilesystem(name string) func(*testing.T, record.Volume) {
	return func(t *testing.T, facts record.Volume) {
		if facts.Filesystem != name || !strings.HasPrefix(facts.Device, "loop") || len(facts.Made) < 2 || facts.Emulation != nil {
			t.Errorf("facts are %+v", facts)
		}
	}
}

// isLikeADisk also checks that the device has the read-ahead of a real disk.
func isLikeADisk(check func(*testing.T, record.Volume)) func(*testing.T, record.Volume) {
	return func(t *testing.T, facts record.Volume) {
		check(t, facts)
		if ahead := readWord("/sys/block/" + facts.Device + "/queue/read_ahead_kb"); ahead != "128" {
			t.Errorf("its read-ahead is %s kB", ahead)
		}
	}
}

func areSettings(t *testing.T, facts record.Volume) {
	ahead := readWord("/sys/block/" + facts.Device + "/queue/read_ahead_kb")
	scheduler, _ := readSetting("/sys/block/" + facts.Device + "/queue/scheduler")
	if ahead != "4096" || scheduler != "mq-deadline" || !strings.Contains(facts.Options, "noatime") {
		t.Errorf("read-ahead %s, scheduler %s, options %s", ahead, scheduler, facts.Options)
	}
}

func isEmulated(name string) func(*testing.T, record.Volume) {
	return func(t *testing.T, facts record.Volume) {
		e := facts.Emulation
		if facts.Filesystem != name || e == nil || e.Model.Name != "slow" || e.PathRead <= 0 || e.CeilingWrite <= 0 || !slices.Equal(facts.Disks, []string{facts.Device}) {
			t.Fatalf("facts are %+v, %+v", facts, e)
		}
		if form := os.Getenv(emulator.FormVariable); e.Form != form || strings.HasPrefix(facts.Device, "nbd") != (form == "nbd") {
			t.Errorf("it is %s of the form %s, want %s", facts.Device, e.Form, form)
		}
		want := "write through"
		if e.Model.WriteCache {
			want = "write back"
		}
		if cache := readWord("/sys/block/" + facts.Device + "/queue/write_cache"); cache != want {
			t.Errorf("its write cache is %q, want %q", cache, want)
		}
	}
}

func (k kind) options(t *testing.T, j *journal.Journal) Options {
	return Options{Journal: j, Launcher: launch.NewLocal(), Owner: serverUser(t), Name: "plinth-x", Seed: 1}
}

func partOf(v experiment.Volume) experiment.Part {
	return experiment.Part{Role: "data", Name: "data", Volume: v}
}

// TestEveryKindIsMadeUsedAndRemoved creates every kind, uses it as the server's user, checks it,
// and removes it twice.
func TestEveryKindIsMadeUsedAndRemoved(t *testing.T) {
	asRoot(t)
	for _, k := range kinds {
		t.Run(k.name, k.madeUsedAndRemoved)
	}
}

func (k kind) madeUsedAndRemoved(t *testing.T) {
	dir, j := hosttest.OpenDir(t), journaltest.Open(t, Undoers())
	asked, o := k.volume(t, dir), k.options(t, j)
	if k.again { // the path is measured by another kind
		withoutMeasuring(t)
	}
	if err := checkButArrays(t.Context(), o, asked); err != nil {
		t.Error(err)
	}
	before := allOf(t, dir)
	v, err := Make(t.Context(), o, partOf(asked))
	if err != nil {
		t.Fatal(err)
	}
	if k.check != nil {
		k.check(t, v.Facts())
	}
	mayLack := func(kind string) bool { return kind == cacheSetting || kind == aheadSetting }
	got, want := slices.DeleteFunc(kindsOf(j), mayLack), slices.DeleteFunc(slices.Clone(k.entries), mayLack)
	if !slices.Equal(got, want) {
		t.Errorf("the journal has %q, want %q", got, want)
	}
	asServer(t, o.Owner, "/bin/mkdir", v.Path+"/base")
	asServer(t, o.Owner, "/bin/dd", "if=/dev/zero", "of="+v.Path+"/base/1", "bs=8k", "count=4", "conv=fsync", "status=none")
	for range 2 {
		if err := v.Remove(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if left := j.Entries(); len(left) != 0 {
		t.Errorf("left in the journal: %v", left)
	}
	awaitAll(t, dir, before)
}

// checkButArrays is Check without the check for md.
func checkButArrays(ctx context.Context, o Options, v experiment.Volume) error {
	if v.RAID != "" {
		return o.checkDisks(ctx, partOf(v))
	}
	return Check(ctx, o, partOf(v))
}

func kindsOf(j *journal.Journal) []string {
	var kinds []string
	for _, e := range j.Entries() {
		kind := e.Kind
		if kind == settingKind && strings.Contains(string(e.Args), "/queue/write_cache") {
			kind = cacheSetting
		}
		if kind == settingKind && strings.Contains(string(e.Args), `"set":"128"`) {
			kind = aheadSetting
		}
		kinds = append(kinds, kind)
	}
	return kinds
}

// allOf lists everything that a volume in dir could leave behind: files, mounts, loop and nbd
// devices, and processes.
func allOf(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	for _, pattern := range []string{dir + "/*", runDir + "/*", "/proc/[0-9]*/cmdline", "/sys/block/loop*/loop/backing_file", "/sys/block/nbd*/pid"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if strings.HasSuffix(f, "/pid") { // of the emulator behind an nbd device
				if text := readWord("/proc/" + readWord(f) + "/cmdline"); strings.Contains(text, runDir) {
					all = append(all, f)
				}
			} else if !strings.HasPrefix(f, "/proc") && !strings.HasPrefix(f, "/sys") {
				all = append(all, f)
			} else if text := readWord(f); strings.Contains(text, dir) || strings.Contains(text, runDir) {
				all = append(all, f+" "+strings.ReplaceAll(text, "\x00", " "))
			}
		}
	}
	return strings.Join(append(all, mountsAndRunDir(t)), "\n")
}

// withoutProcesses leaves out the processes: a program that a previous test killed may not have
// ended yet.
func withoutProcesses(all string) string {
	lines := slices.DeleteFunc(strings.Split(all, "\n"), func(line string) bool { return strings.HasPrefix(line, "/proc/") })
	return strings.Join(lines, "\n")
}

// awaitAll waits until allOf returns the same as before: guards take a moment to end processes.
func awaitAll(t *testing.T, dir, before string) {
	t.Helper()
	limit, tick := time.After(patience), time.NewTicker(10*time.Millisecond)
	defer tick.Stop()
	for {
		after := allOf(t, dir)
		if after == before || after == withoutProcesses(before) {
			return
		}
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("before\n%s\nafter\n%s", before, after)
		}
	}
}

// TestEveryKindSurvivesAKill kills a plinth at every step of creating a volume. Another one
// undoes the steps, from the journal alone, and may do so twice.
func TestEveryKindSurvivesAKill(t *testing.T) {
	asRoot(t)
	for _, k := range kinds {
		if k.again {
			continue
		}
		t.Run(k.name, k.killedAtEachStep)
	}
}

func (k kind) killedAtEachStep(t *testing.T) {
	for steps := 1; steps <= len(k.entries)+1; steps++ {
		k.killedAfter(t, steps)
	}
}

// killedAfter kills the process when the journal has the given number of entries, or, for one
// more than exist, when the volume is complete and in use.
func (k kind) killedAfter(t *testing.T, steps int) {
	t.Helper()
	dir, state := hosttest.OpenDir(t), t.TempDir()
	asked, err := json.Marshal(k.volume(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	before := allOf(t, dir)
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "PLINTH_TEST_STATE="+state, "PLINTH_TEST_VOLUME="+string(asked),
		"PLINTH_TEST_RUN_DIR="+runDir, "PLINTH_TEST_ARRAYS="+arrayPrefix)
	out, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // if the test fails
		_ = command.Process.Kill()
		_ = command.Wait()
		leftovers, _ := journal.Leftovers(state)
		for _, l := range leftovers {
			_ = errors.Join(l.PutBack(context.Background(), Undoers()), l.Close())
		}
	})
	said := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(out)
		lines.Scan()
		said <- lines.Text()
	}()
	if steps > len(k.entries) {
		if line := <-said; line != "made" {
			t.Fatalf("the helper says %q", line)
		}
	} else {
		awaitEntries(t, state, steps, said)
	}
	_ = command.Process.Kill()
	_ = command.Wait()
	putBackTwice(t, state)
	awaitAll(t, dir, before)
}

func awaitEntries(t *testing.T, state string, n int, said <-chan string) {
	t.Helper()
	limit, tick := time.After(patience), time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		files, _ := filepath.Glob(state + "/*")
		if len(files) == 1 && strings.Count(readWord(files[0]), `"note":`) >= n {
			return
		}
		select {
		case line := <-said:
			if line != "made" {
				t.Fatalf("the helper says %q", line)
			}
			return // all steps are done: it is killed now
		case <-limit:
			t.Fatalf("the journal never had %d entries", n)
		case <-tick.C:
		}
	}
}

func putBackTwice(t *testing.T, state string) {
	t.Helper()
	leftovers := awaitLeftovers(t, state)
	defer func() { _ = leftovers[0].Close() }()
	entries := leftovers[0].Entries()
	if err := leftovers[0].PutBack(t.Context(), Undoers()); err != nil {
		t.Fatal(err)
	}
	for _, e := range slices.Backward(entries) {
		if err := Undoers()[e.Kind](t.Context(), e.Args); err != nil {
			t.Errorf("%s once more: %v", e.Describe(), err)
		}
	}
}

// awaitLeftovers waits for the journal's lock: a child that has just been forked holds it until
// it executes its program.
func awaitLeftovers(t *testing.T, state string) []*journal.Leftover {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for limit := time.Now().Add(patience); ; <-tick.C {
		leftovers, err := journal.Leftovers(state)
		if err == nil && len(leftovers) == 1 {
			return leftovers
		}
		if err != nil || time.Now().After(limit) {
			t.Fatalf("leftovers: %v, %v", leftovers, err)
		}
	}
}

// makeAndWait creates a volume and waits to be killed.
func makeAndWait(state, asked string) {
	measurePath, fitPath = quickPath, noFit
	var v experiment.Volume
	j, err := journal.Open(state, "killed")
	err = errors.Join(err, json.Unmarshal([]byte(asked), &v))
	var user *launch.User
	if err == nil {
		user, err = launch.ServerUser()
	}
	if err == nil {
		_, err = Make(context.Background(), Options{Journal: j, Launcher: launch.NewLocal(), Owner: user, Name: "plinth-x", Seed: 1}, partOf(v))
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("made")
	select {}
}
