package volume

import (
	"cmp"
	"fmt"
	"path/filepath"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/unit"
)

// DiskAt describes the disk that stores a directory, a file, or what is on a block device. It returns
// false if that disk is not visible, or if there are several.
func DiskAt(path string) (device.Disk, bool) {
	disk, known := host.OnlyDisk(path)
	return device.Disk{Model: disk.Model, Transport: disk.Transport, Size: unit.Size(disk.Size)}, known
}

// OtherDisk returns why a model cannot be that of the disk of a role, at path: it was measured on
// another disk. It returns "" if the model does not name a disk, or if the disk here is not visible.
func OtherDisk(model device.Device, role, path string) string {
	here, known := DiskAt(path)
	if !known || !model.Disk.Differs(here) {
		return ""
	}
	return fmt.Sprintf("it was measured on %s, and %s is on %s", model.Disk, role, here)
}

// CheckSaid returns an error if an experiment says that an existing disk is that of a model file, but
// the file was measured on another disk.
func CheckSaid(part experiment.Part) error {
	v := part.Volume
	path := cmp.Or(v.Directory, v.Device)
	if v.File != "" {
		path = filepath.Dir(v.File)
	}
	model, source, err := v.SaidModel()
	why := ""
	if err == nil && path != "" { // otherwise nothing is said, or it is said of an array
		why = OtherDisk(model, part.Role, path)
	}
	if why == "" {
		return nil
	}
	return hint.Errorf("probe this disk, or remove the section disk from the file if both disks are of the same kind",
		"cannot use %s for %s: %s", source, part.Role, why)
}
