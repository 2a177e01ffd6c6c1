package volume

import (
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/host/hosttest"
	"plinth/internal/journal/journaltest"
	"plinth/internal/record"
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

// Of what an experiment may put on btrfs, a synced write is one write, also for the
// proof: with a write cache it would be several.
func TestProofOnBtrfs(t *testing.T) {
	asRoot(t)
	withMeasure(t, quickPath)
	dir := hosttest.OpenDir(t)
	d := emulatedDisk(dir)
	model := passThrough(*d.Emulate.Model)
	model.Read, model.Write, model.WriteCache = slow.Read, slow.Write, false
	d.Emulate.Model = &model
	o := Options{Journal: journaltest.Open(t, Undoers()), Launcher: host.NewLocal(), Owner: serverUser(t), Name: "x"}
	v, err := Make(t.Context(), o, partOf(experiment.Volume{Disk: d, Filesystem: "btrfs"}))
	if err != nil {
		t.Fatal(err)
	}
	var proof record.Proof
	for range 3 { // others use this machine
		if proof, err = v.Prove(t.Context()); err != nil {
			t.Fatal(err)
		}
		if proof.MeasuredWrite < proof.ExpectedWrite*3/2 {
			break
		}
	}
	if proof.MeasuredWrite < proof.ExpectedWrite/2 || proof.MeasuredWrite > proof.ExpectedWrite*3/2 {
		t.Errorf("a write took %d instead of %d: %+v", proof.MeasuredWrite, proof.ExpectedWrite, proof)
	}
}
