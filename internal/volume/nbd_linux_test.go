package volume

import (
	"context"
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"plinth/internal/emulator"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
	"plinth/internal/journal/journaltest"
)

// byNBD makes the emulated devices of a test use NBD. It skips the test if the kernel has no nbd;
// with PLINTH_TEST_NBD set, that is an error (scripts/vm sets it).
func byNBD(t *testing.T) {
	t.Helper()
	asRoot(t)
	t.Setenv(emulator.FormVariable, string(emulator.NBD))
	if _, err := FormFor(t.Context(), launch.NewLocal(), 1); err != nil {
		if os.Getenv("PLINTH_TEST_NBD") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

// nbdSteps are the steps of a volume on an emulated nbd device: settings that make its queue like
// a loop device's replace the loop device.
var nbdSteps = []string{directoryKind, fileKind, emulatorKind, settingKind, settingKind, mountKind}

// TestNBDVolumes runs the tests of emulated volumes with NBD.
func TestNBDVolumes(t *testing.T) {
	byNBD(t)
	for _, k := range kinds {
		if !strings.HasPrefix(k.name, "emulated") {
			continue
		}
		k.entries = nbdSteps
		t.Run(k.name, k.madeUsedAndRemoved)
		if !k.again {
			t.Run(k.name+" killed", k.killedAtEachStep)
		}
	}
	for name, test := range map[string]func(*testing.T){
		"power cut": TestPowerCut, "power cut in use": TestPowerDoesNotReturnToAVolumeInUse,
		"dead and hung": TestDeadAndHungEmulators, "array": TestArrayOfEmulatedMembers,
		"proof": TestAVolumeProvesItself, "stopped in a proof": TestAProofOfAStoppedEmulatorEnds, "stopped while made": TestMakingOnAStoppedEmulatorEnds,
	} {
		t.Run(name, test)
	}
}

// TestNBDQueueIsPutBack checks that the queue is configured like a loop device's, and restored.
func TestNBDQueueIsPutBack(t *testing.T) {
	byNBD(t)
	withoutMeasuring(t)
	read := func(device string) []string {
		var all []string
		for _, name := range []string{"scheduler", "max_sectors_kb", "read_ahead_kb"} {
			value, _ := readSetting("/sys/block/" + device + "/queue/" + name)
			all = append(all, value)
		}
		return all
	}
	dirs, _ := os.ReadDir("/sys/block")
	before := map[string][]string{}
	for _, d := range dirs {
		if strings.HasPrefix(d.Name(), "nbd") {
			before[d.Name()] = read(d.Name())
		}
	}
	v, _, _ := makeEmulated(t, journaltest.Open(t, Undoers()), "ext4")
	device := v.Facts().Device
	if got := read(device); !slices.Equal(got[:2], []string{"none", "1024"}) {
		t.Errorf("the queue of %s is %v", device, got)
	}
	if err := v.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := read(device); !slices.Equal(got, before[device]) {
		t.Errorf("the queue of %s is %v, was %v", device, got, before[device])
	}
}

// TestNBDVolumesAreApart checks that volumes use different nbd devices, and that removing one
// does not affect the other.
func TestNBDVolumesAreApart(t *testing.T) {
	byNBD(t)
	withoutMeasuring(t)
	v, _, _ := makeEmulated(t, journaltest.Open(t, Undoers()), "ext4")
	w, _, _ := makeEmulated(t, journaltest.Open(t, Undoers()), "ext4")
	if w.Facts().Device == v.Facts().Device {
		t.Errorf("both have %s", v.Facts().Device)
	}
	if err := w.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	asServer(t, v.options.Owner, "/bin/dd", "if=/dev/zero", "of="+v.Path+"/1", "bs=8k", "count=4", "conv=fsync", "status=none")
	if err := v.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestOnlyEmulatorsAreKilled checks that a process that listens at a socket named in a journal is
// not killed unless it is an emulator.
func TestOnlyEmulatorsAreKilled(t *testing.T) {
	asRoot(t)
	dir := hosttest.OpenDir(t)
	socket := dir + "/control"
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if err := emulator.End(t.Context(), socket); err == nil || !strings.Contains(err.Error(), "not an emulator") {
		t.Errorf("error is %v", err)
	}
	if err := emulator.Abort(socket); err == nil {
		t.Error("it was aborted")
	}
}

// TestTheFormIsAsSaid checks that volumes have the form given in their options.
func TestTheFormIsAsSaid(t *testing.T) {
	asRoot(t)
	withoutMeasuring(t)
	t.Setenv(emulator.FormVariable, "floppy")
	build := func(form emulator.Form) (*Volume, error) {
		dir := hosttest.OpenDir(t)
		o := Options{Journal: journaltest.Open(t, Undoers()), Launcher: launch.NewLocal(), Owner: serverUser(t), Name: "x", Form: form}
		return Make(context.Background(), o, partOf(experiment.Volume{Disk: emulatedDisk(dir)}))
	}
	if _, err := build(""); err == nil || !strings.Contains(err.Error(), `PLINTH_EMULATOR is "floppy"`) {
		t.Errorf("error is %v", err)
	}
	v, err := build(emulator.FUSE)
	if err != nil {
		t.Fatal(err)
	}
	if form := v.Facts().Emulation.Form; form != "fuse" {
		t.Errorf("its form is %s", form)
	}
	if err := v.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v, err = build(emulator.NBD); err != nil {
		if !strings.Contains(err.Error(), "no free nbd device") || hint.Of(err) == "" {
			t.Errorf("without nbd: %v", err)
		}
		return
	}
	if form := v.Facts().Emulation.Form; form != "nbd" {
		t.Errorf("its form is %s", form)
	}
	if err := v.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
}
