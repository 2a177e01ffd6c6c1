package stand

import (
	"strings"
	"testing"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/host/hosttest"
	"plinth/internal/record"
	"plinth/internal/volume"
)

// TestAddSaid checks that what an experiment says reaches the volume of its role, and that a volume
// that plinth cannot see is reported.
func TestAddSaid(t *testing.T) {
	is := func(name string, iops float64) experiment.Volume {
		return experiment.Volume{Directory: "/x", Disk: experiment.Disk{Is: experiment.Emulation{Name: name}, Changes: experiment.Changes{IOPS: iops}}}
	}
	volumes := []record.Volume{{Role: "data"}, {Role: "tablespace cold"}}
	storage := experiment.Storage{Data: is("gp3", 6000), WAL: is("io2", 0), Temp: experiment.Volume{Directory: "/t"},
		Tablespaces: []experiment.Tablespace{{Name: "cold", Volume: is("st1", 0)}}}
	notes := addSaid(volumes, &storage, strings.Clone)
	if len(notes) != 1 || notes[0].Rule != "said-unused" || !strings.Contains(notes[0].Text, "is: io2 of wal has no effect") {
		t.Errorf("notes: %+v", notes)
	}
	for i, want := range []string{"gp3", "st1"} {
		if said := volumes[i].Is; said == nil || said.Model.Name != want || said.Source != "plinth devices" {
			t.Errorf("%s: %+v, want %s", volumes[i].Role, said, want)
		}
	}
	if iops := volumes[0].Is.Model.IOPS.Rate; iops != 6000 {
		t.Errorf("%g IOPS", iops)
	}
	// A model file that was measured on another disk.
	dir := hosttest.OpenDir(t)
	here, visible := volume.DiskAt(dir)
	other := device.Device{Name: "db7", Disk: device.Disk{Model: "a disk of another machine", Size: 2*here.Size + 1}}
	storage = experiment.Storage{Data: experiment.Volume{Directory: dir, Disk: experiment.Disk{Is: experiment.Emulation{Name: "db7", Model: &other}}}}
	volumes = []record.Volume{{Role: "data", Path: dir}}
	notes = addSaid(volumes, &storage, strings.Clone)
	if visible != (volumes[0].Is == nil) || visible && (len(notes) != 1 || notes[0].Rule != "said-other-disk" || !strings.Contains(notes[0].Text, "and data is on "+here.String())) {
		t.Errorf("another disk: %+v, %+v", volumes[0].Is, notes)
	}
	if notes := addSaid(nil, &experiment.Storage{Data: experiment.Volume{Directory: "/x"}}, strings.Clone); notes != nil {
		t.Errorf("without is: %+v", notes)
	}
}
