package preview

import (
	"testing"
	"time"

	"plinth/internal/experiment"
)

func TestWhatVolumesTake(t *testing.T) {
	gp3 := experiment.Volume{Disk: experiment.Disk{Emulate: experiment.Emulation{Name: "gp3"}}}
	file := experiment.Volume{Disk: experiment.Disk{File: "/x.img"}}
	e := &experiment.Experiment{Environments: []experiment.Environment{
		{Storage: experiment.Storage{Data: experiment.Volume{Directory: "/d"}}},
		{Storage: experiment.Storage{Data: gp3, WAL: gp3, Temp: file}},
	}}
	if got := proving(e); got != proofTime {
		t.Errorf("two proofs in one of two environments: %v a run", got)
	}
	if got, want := making(e), 2*emulatedTime+madeTime+ceilingTime; got != want {
		t.Errorf("making takes %v, want %v", got, want)
	}
	e.Environments = e.Environments[:1]
	if proving(e) != 0 || making(e) > time.Millisecond {
		t.Errorf("a directory takes %v and %v", proving(e), making(e))
	}
}
