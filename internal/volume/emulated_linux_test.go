package volume

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"plinth/internal/device"
	"plinth/internal/emulator"
	"plinth/internal/experiment"
	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
	"plinth/internal/journal"
	"plinth/internal/journal/journaltest"
)

// quickPath and noFit replace the measurements in tests that do not need them. Nothing is then
// subtracted from the delays, so no operation is faster than the model.
func quickPath(context.Context, string, int64) (emulator.PathCost, error) {
	return emulator.PathCost{Path: emulator.Path{Read: 1, Write: 1}, ReadIOPS: 1, WriteIOPS: 1}, nil
}

func noFit(*emulator.Emulator, context.Context, string, int64, device.Device) (emulator.Path, error) {
	return emulator.Path{}, nil
}

func withoutMeasuring(t *testing.T) {
	t.Helper()
	measure, fit := measurePath, fitPath
	measurePath, fitPath = quickPath, noFit
	t.Cleanup(func() { measurePath, fitPath = measure, fit })
}

// makeEmulated creates an emulated volume, and returns the state before it.
func makeEmulated(t *testing.T, j *journal.Journal, filesystem string) (v *Volume, dir, before string) {
	t.Helper()
	asRoot(t)
	dir = hosttest.OpenDir(t)
	before = allOf(t, dir)
	v, err := Make(t.Context(), Options{Journal: j, Launcher: launch.NewLocal(), Owner: serverUser(t), Name: "x", Seed: 1},
		partOf(experiment.Volume{Disk: emulatedDisk(dir), Filesystem: filesystem}))
	if err != nil {
		t.Fatal(err)
	}
	return v, dir, before
}

// write writes a file, and syncs it if sync is true.
func write(path, content string, sync bool) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	if err == nil && sync {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// actsAsModel fails the test unless the emulator of v acts as its model (want) or as a
// pass-through: only the model has a bucket. With the model, no synced write is faster than its
// delays; a busy machine only makes it slower.
func actsAsModel(t *testing.T, when string, v *Volume, want bool) {
	t.Helper()
	r, err := v.Emulators()[0].Reading(t.Context())
	if got := !math.IsNaN(r.IOPSBalance); err != nil || got != want {
		t.Errorf("%s: a bucket that is %v full, %v; want one: %v", when, r.IOPSBalance, err, want)
	}
	began, model := time.Now(), slow.Write.Median.Std()+slow.Flush.Median.Std()
	if err := write(filepath.Join(v.Path, "timed"), "content", true); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); want && took < model {
		t.Errorf("%s: a synced write took %v, and the model says %v at least", when, took, model)
	}
}

// TestLoadingPassesThrough checks that an emulated device acts as its model except while a
// dataset is loaded.
func TestLoadingPassesThrough(t *testing.T) {
	withoutMeasuring(t)
	v, _, _ := makeEmulated(t, journaltest.Open(t, Undoers()), "ext4")
	actsAsModel(t, "at first", v, true)
	if err := v.Loading(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	actsAsModel(t, "while loading", v, false)
	if err := v.Loading(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	actsAsModel(t, "after loading", v, true)
	if err := v.Refill(t.Context()); err != nil {
		t.Error(err)
	}
	if len(v.Emulators()) != 1 || len(v.Models()) != 1 || v.Models()[0].Name != "slow" {
		t.Errorf("emulators %v, models %v", v.Emulators(), v.Models())
	}
}

func TestAVolumeProvesItself(t *testing.T) {
	withoutMeasuring(t)
	v, _, _ := makeEmulated(t, journaltest.Open(t, Undoers()), "xfs")
	proof, err := v.Calibrate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// Corrections can make each request faster by this much, and nothing else can. A durable write is two
	// requests: a write and a flush.
	least := func(expected, requests int64) int64 { return expected - requests*int64(mostCorrected) }
	if write := int64(slow.Write.Median + slow.Flush.Median); proof.Role != "data" || proof.Operations < 20 ||
		proof.ExpectedRead != int64(slow.Read.Median) || proof.ExpectedWrite != write ||
		proof.MeasuredRead < least(proof.ExpectedRead, 1) || proof.MeasuredWrite < least(write, 2) {
		t.Errorf("the proof is %+v", proof)
	}
	if entries, err := os.ReadDir(v.Path); err != nil || len(entries) != 0 {
		t.Errorf("the proof left %v in the server's directory, %v", entries, err)
	}
}

func TestOnlyEmulatedVolumesCanBeCutOrProve(t *testing.T) {
	v, err := makeDir(journaltest.Open(t, Undoers()), hosttest.OpenDir(t), "x", "data", serverUser(t))
	if err != nil {
		t.Fatal(err)
	}
	if v.PowerCut(t.Context()) == nil {
		t.Error("its power is cut")
	}
	if _, err := v.Calibrate(t.Context()); err == nil {
		t.Error("it proves something")
	}
	if err := errors.Join(v.Loading(t.Context(), true), v.Refill(t.Context())); err != nil || v.Emulators() != nil {
		t.Errorf("%v, emulators %v", err, v.Emulators())
	}
}

// TestPowerCut checks that after a power cut the filesystem recovers everything that was synced,
// and that unsynced writes are lost with the write cache.
func TestPowerCut(t *testing.T) {
	withoutMeasuring(t)
	for _, filesystem := range []string{"ext4", "xfs"} {
		t.Run(filesystem, func(t *testing.T) {
			j := journaltest.Open(t, Undoers())
			v, dir, before := makeEmulated(t, j, filesystem)
			synced, lost := filepath.Join(v.Path, "synced"), filepath.Join(v.Path, "lost")
			if err := errors.Join(write(synced, "content", true), write(lost, "content", false)); err != nil {
				t.Fatal(err)
			}
			if err := v.PowerCut(t.Context()); err != nil {
				t.Fatal(err)
			}
			if write(lost+"2", "content", true) == nil {
				t.Error("it can be written without power")
			}
			if err := v.PowerReturn(t.Context()); err != nil {
				t.Fatal(err)
			}
			if text, err := os.ReadFile(synced); string(text) != "content" {
				t.Errorf("what was synced is %q, %v", text, err)
			}
			if text, _ := os.ReadFile(lost); string(text) == "content" {
				t.Error("what was only written is there")
			}
			if err := write(lost, "content", true); err != nil {
				t.Errorf("afterwards: %v", err)
			}
			if err := v.Remove(t.Context()); err != nil {
				t.Fatal(err)
			}
			awaitAll(t, dir, before)
		})
	}
}

// TestPowerDoesNotReturnToAVolumeInUse checks that the power is not restored while a process uses
// the volume: the kernel would continue with the old filesystem.
func TestPowerDoesNotReturnToAVolumeInUse(t *testing.T) {
	withoutMeasuring(t)
	v, _, _ := makeEmulated(t, journaltest.Open(t, Undoers()), "ext4")
	busy, err := os.Create(filepath.Join(v.Path, "busy"))
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	if err := v.PowerCut(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := v.PowerReturn(ctx); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("error is %v", err)
	}
}

// TestDeadAndHungEmulators checks that a volume with dirty pages is removed quickly when its
// emulator is dead or hung, by the plinth that created it and by the journal alone.
func TestDeadAndHungEmulators(t *testing.T) {
	withoutMeasuring(t)
	impatient(t)
	for _, tc := range []struct {
		signal syscall.Signal
		remove func(v *Volume, j *journal.Journal) error
	}{
		{syscall.SIGKILL, func(v *Volume, _ *journal.Journal) error { return v.Remove(context.Background()) }},
		{syscall.SIGSTOP, func(v *Volume, _ *journal.Journal) error { return v.Remove(context.Background()) }},
		{syscall.SIGSTOP, func(_ *Volume, j *journal.Journal) error { return j.PutBack(context.Background(), Undoers()) }},
	} {
		j := journaltest.Open(t, Undoers())
		v, dir, before := makeEmulated(t, j, "ext4")
		if err := write(filepath.Join(v.Path, "dirty"), string(bytes.Repeat([]byte("x"), 1<<20)), false); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(v.Emulators()[0].PID(), tc.signal); err != nil {
			t.Fatal(err)
		}
		removed := make(chan error, 1)
		go func() { removed <- tc.remove(v, j) }()
		select {
		case err := <-removed:
			if err != nil {
				t.Errorf("%v: %v", tc.signal, err)
			}
		case <-time.After(patience):
			t.Errorf("%v: it is not removed", tc.signal)
		}
		_ = syscall.Kill(v.Emulators()[0].PID(), syscall.SIGCONT)
		awaitAll(t, dir, before)
	}
}

// TestArrayOfEmulatedMembers checks that each emulated member of an array has its own emulator.
func TestArrayOfEmulatedMembers(t *testing.T) {
	withoutMeasuring(t)
	user, j, dir := asRoot(t), journaltest.Open(t, Undoers()), hosttest.OpenDir(t)
	fakeArrays(t)
	asked := experiment.Volume{RAID: "1", Members: []experiment.Disk{emulatedDisk(dir), emulatedDisk(dir)}}
	before := allOf(t, dir)
	v, err := Make(t.Context(), Options{Journal: j, Launcher: launch.NewLocal(), Owner: user, Name: "x", RateScale: 0.5}, partOf(asked))
	if err != nil {
		t.Fatal(err)
	}
	e := v.Facts().Emulation
	if len(v.Emulators()) != 2 || e == nil || e.RateScale != 0.5 || e.Model.Array == nil || e.Model.Array.Members != 2 || e.Model.Array.Of.Name != "slow" {
		t.Errorf("emulators %v, facts %+v", v.Emulators(), e)
	}
	if err := v.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	awaitAll(t, dir, before)
}

// cachelessDisk returns an emulated disk without a write cache.
func cachelessDisk(dir string) experiment.Disk {
	d := emulatedDisk(dir)
	model := passThrough(*d.Emulate.Model)
	model.Read, model.Write, model.WriteCache = slow.Read, slow.Write, false
	d.Emulate.Model = &model
	return d
}

// TestProofOnBtrfs checks that a synced write is one write on the btrfs volumes that an
// experiment may have, also in the verification: with a write cache it would be several.
func TestProofOnBtrfs(t *testing.T) {
	asRoot(t)
	withoutMeasuring(t)
	o := Options{Journal: journaltest.Open(t, Undoers()), Launcher: launch.NewLocal(), Owner: serverUser(t), Name: "x"}
	v, err := Make(t.Context(), o, partOf(experiment.Volume{Disk: cachelessDisk(hosttest.OpenDir(t)), Filesystem: "btrfs"}))
	if err != nil {
		t.Fatal(err)
	}
	e := v.Emulators()[0]
	writes := func() int64 {
		r, err := e.Reading(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return r.Writes
	}
	var proof emulator.Calibration
	fewest := int64(math.MaxInt64)
	for range 3 { // btrfs writes its metadata occasionally
		before := writes()
		if proof, err = emulator.Calibrate(t.Context(), v.disks[0].path, filepath.Join(v.mounted.Target, calibrationFile), v.model(), e); err != nil {
			t.Fatal(err)
		}
		fewest = min(fewest, writes()-before)
	}
	if n := int64(proof.Operations); fewest < n || fewest >= 2*n || proof.MeasuredWrite < proof.ExpectedWrite {
		t.Errorf("%d writes of the device for %d of the proof, %+v", fewest, n, proof)
	}
}
