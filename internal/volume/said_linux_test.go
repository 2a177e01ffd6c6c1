package volume

import (
	"strings"
	"testing"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host/hosttest"
)

// TestSaidDisk checks model files of the disk of this machine, and of others. In a container that disk
// may be hidden; then all of them are accepted.
func TestSaidDisk(t *testing.T) {
	dir := hosttest.OpenDir(t)
	here, known := DiskAt(dir)
	larger, other := here, here
	larger.Size += here.Size/10 + 1
	other.Model, other.Size = "a disk of another machine", 2*here.Size+1
	is := func(disk device.Disk) experiment.Disk {
		return experiment.Disk{Is: experiment.Emulation{Name: "db7", Model: &device.Device{Name: "x", Disk: disk}}}
	}
	for name, try := range map[string]struct {
		volume  experiment.Volume
		refused bool
	}{
		"nothing said":     {experiment.Volume{Directory: dir}, false},
		"of the catalog":   {experiment.Volume{Directory: dir, Disk: experiment.Disk{Is: experiment.Emulation{Name: "gp3"}}}, false},
		"this disk":        {experiment.Volume{Directory: dir, Disk: is(here)}, false},
		"no disk named":    {experiment.Volume{Directory: dir, Disk: is(device.Disk{})}, false},
		"a larger disk":    {experiment.Volume{Directory: dir, Disk: is(larger)}, known},
		"another disk":     {experiment.Volume{Directory: dir, Disk: is(other)}, known},
		"an array":         {experiment.Volume{RAID: "0", Disk: is(other)}, false},
		"no such":          {experiment.Volume{Directory: dir + "/none", Disk: is(other)}, false},
		"an emulated disk": {experiment.Volume{Disk: experiment.Disk{Emulate: is(other).Is}}, false},
	} {
		err := CheckSaid(experiment.Part{Role: "data", Volume: try.volume})
		if (err != nil) != try.refused || err != nil && hint.Of(err) == "" {
			t.Errorf("%s: got %v, hint %q; the disk is %+v, %v", name, err, hint.Of(err), here, known)
		}
	}
	file := is(other)
	file.File = dir + "/x.img"
	err := CheckSaid(experiment.Part{Role: "wal", Volume: experiment.Volume{Disk: file}})
	const want = "cannot use the model file db7 for wal: it was measured on a disk of another machine ("
	if known && (err == nil || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), "and wal is on "+here.String())) {
		t.Errorf("got %v", err)
	}
}
