package probe

import (
	"errors"

	"plinth/internal/hint"
	"plinth/internal/host"
)

// LocalHint says which local disk a volume can be compared with.
const LocalHint = "give a directory on the local disk that stores the volume, or a model file that plinth probe wrote for that disk"

// beneath returns the probe of the local disk under p's volume. It measures the steps of the volume, in
// a file of the same size.
func (p *probe) beneath() (*probe, error) {
	o := p.Options
	o.Path, o.Size, o.Erase, o.Sustained, o.only = p.Local, p.target.Size, false, 0, p.steps
	local, err := newProbe(o)
	switch {
	case err != nil:
		return nil, err
	case local.target.Raw:
		err = errors.New("it is a block device")
	case local.target.place.InMemory:
		err = errors.New("it is in memory, not on a disk")
	case sameDisk(p.target, local.target):
		err = errors.New("both are on the same disk")
	}
	if err != nil {
		return nil, hint.Errorf(LocalHint, "cannot compare %s with %s: %w", p.Path, p.Local, err)
	}
	local.of = "local-"
	return local, nil
}

// sameDisk reports whether two targets are on one block device or one filesystem.
func sameDisk(a, b Target) bool {
	if a.Device != "" && a.Device == b.Device {
		return true
	}
	one, err := host.FilesystemOf(a.Path)
	other, errOther := host.FilesystemOf(b.Path)
	return !a.Raw && err == nil && errOther == nil && one.ID == other.ID
}
