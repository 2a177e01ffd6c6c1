package volume

import (
	"math"
	"path/filepath"
	"testing"

	"plinth/internal/emulator"
	"plinth/internal/experiment"
	"plinth/internal/host/hosttest"
	"plinth/internal/host/launch"
	"plinth/internal/journal/journaltest"
)

// Where no loop device has been made yet nobody knows its schedulers.
func TestSchedulerOfADeviceThatIsNotThere(t *testing.T) {
	if err := needScheduler("", "a loop device", "mq-deadline"); err != nil {
		t.Error(err)
	}
	if err := needScheduler(t.TempDir(), "a device", "mq-none"); err == nil {
		t.Error("a device without schedulers has one")
	}
}

// cachelessDisk is emulated, and has no write cache.
func cachelessDisk(dir string) experiment.Disk {
	d := emulatedDisk(dir)
	model := passThrough(*d.Emulate.Model)
	model.Read, model.Write, model.WriteCache = slow.Read, slow.Write, false
	d.Emulate.Model = &model
	return d
}

// Of what an experiment may put on btrfs, a synced write is one write, also for the
// proof: with a write cache it would be several.
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
	var proof emulator.Proof
	fewest := int64(math.MaxInt64)
	for range 3 { // btrfs writes its metadata now and then
		before := writes()
		if proof, err = emulator.Prove(t.Context(), v.disks[0].path, filepath.Join(v.mounted.Target, proofName), v.proven(), e); err != nil {
			t.Fatal(err)
		}
		fewest = min(fewest, writes()-before)
	}
	if n := int64(proof.Operations); fewest < n || fewest >= 2*n || proof.MeasuredWrite < proof.ExpectedWrite {
		t.Errorf("%d writes of the device for %d of the proof, %+v", fewest, n, proof)
	}
}
