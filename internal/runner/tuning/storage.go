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

// store adds a disk or mount value to the storage that plinth sets up, unless the volume's own
// keys set it. For an existing directory the value changes the host.
func (t *tuned) store(e *experiment.Environment, v profile.Value) {
	volume := volumeOf(&e.Storage, v.Key.On)
	switch {
	case !slices.Contains(roles(e.Storage), v.Key.On):
		t.host = append(t.host, v) // a disk by its name
		return
	case volume == nil:
		t.leave(v, fmt.Sprintf("the %s has no separate volume", v.Key.On))
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
		kib, _ := strconv.ParseInt(v.Value, 10, 64) // a whole number, or the profile would have been refused
		if kib == 0 {
			t.disks = append(t.disks, v) // the storage's own key has no value for this
			return
		}
		volume.ReadAhead = unit.Size(kib) * unit.KiB
	case v.Key.Knob == "scheduler" && volume.Scheduler == "":
		volume.Scheduler = v.Value
	case v.Key.Knob == "read_ahead_kb" || v.Key.Knob == "scheduler":
		t.leave(v, "the storage of the environment sets another value")
		return
	default:
		t.disks = append(t.disks, v)
		return
	}
	t.note(v)
}

// mount adds the mount options that the volume's filesystem knows.
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

// roles returns the names by which values refer to a server's volumes.
func roles(s experiment.Storage) []string {
	all := []string{experiment.RoleData, experiment.RoleWAL, experiment.RoleTemp}
	for _, t := range s.Tablespaces {
		all = append(all, t.Name)
	}
	return all
}

// volumeOf returns the volume of a role; nil without a separate one.
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
