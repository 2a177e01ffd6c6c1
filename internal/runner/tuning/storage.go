package tuning

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/knob"
	"plinth/internal/profile"
	"plinth/internal/unit"
)

// store makes a value that is about a disk or a mount a part of the storage that
// plinth lays out, where the volume's own keys say nothing. Of a directory that is there
// already it is the machine's.
func (t *tuned) store(e *experiment.Environment, v profile.Value) {
	volume := volumeOf(&e.Storage, v.Key.On)
	switch {
	case !slices.Contains(roles(e.Storage), v.Key.On):
		t.host = append(t.host, v) // a disk by its name
		return
	case volume == nil:
		t.leave(v, fmt.Sprintf("the %s has no volume of its own", v.Key.On))
		return
	case volume.Directory != "":
		t.host = append(t.host, v)
		return
	}
	switch {
	case v.Layer == knob.Mount:
		t.mount(volume, v)
		return
	case v.Key.Knob == "read_ahead_kb" && volume.ReadAhead == 0:
		kib, _ := strconv.ParseInt(v.Value, 10, 64) // a whole number, or the profile had been refused
		volume.ReadAhead = unit.Size(kib) * unit.KiB
	case v.Key.Knob == "scheduler" && volume.Scheduler == "":
		volume.Scheduler = v.Value
	case v.Key.Knob == "read_ahead_kb" || v.Key.Knob == "scheduler":
		t.leave(v, "the storage of the environment says otherwise")
		return
	default:
		t.disks = append(t.disks, v)
		return
	}
	t.note(v)
}

// mount adds options that its filesystem knows.
func (t *tuned) mount(volume *experiment.Volume, v profile.Value) {
	filesystem := volume.Filesystem
	if filesystem == "" {
		filesystem = "ext4"
	}
	var added, unknown []string
	for option := range strings.SplitSeq(v.Value, ",") {
		name, _, _ := strings.Cut(option, "=")
		switch {
		case !knob.MountOption(filesystem, name):
			unknown = append(unknown, option)
		case !slices.Contains(volume.Mount, option):
			volume.Mount = append(slices.Clone(volume.Mount), option)
			added = append(added, option)
		}
	}
	if unknown != nil {
		of := v
		of.Value = strings.Join(unknown, ",")
		t.leave(of, filesystem+" has no such option")
	}
	if added != nil {
		v.Value = strings.Join(added, ",")
		t.note(v)
	}
}

// roles are the names by which the volumes of a server may be meant.
func roles(s experiment.Storage) []string {
	all := []string{experiment.RoleData, experiment.RoleWAL, experiment.RoleTemp}
	for _, t := range s.Tablespaces {
		all = append(all, t.Name)
	}
	return all
}

// volumeOf is the volume of a role; nil where it has none of its own.
func volumeOf(s *experiment.Storage, role string) *experiment.Volume {
	switch role {
	case experiment.RoleData:
		return &s.Data
	case experiment.RoleWAL:
		if s.WAL.There() {
			return &s.WAL
		}
		return nil
	case experiment.RoleTemp:
		if s.Temp.There() {
			return &s.Temp
		}
		return nil
	}
	s.Tablespaces = slices.Clone(s.Tablespaces)
	for i := range s.Tablespaces {
		if s.Tablespaces[i].Name == role {
			return &s.Tablespaces[i].Volume
		}
	}
	return nil
}
