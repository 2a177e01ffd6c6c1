package probe

import (
	"errors"

	"plinth/internal/hint"
	"plinth/internal/host"
)

// LocalHint says which local disk a volume can be compared with.
const LocalHint = "give a directory on the local disk that stores the volume, or a model file that plinth probe wrote for that disk"

// besideHint says with what a disk can be compared.
const besideHint = "give a directory on another disk"

// otherDisk returns the probe of the local disk under p's volume, or of the disk beside it. It measures
// the steps of the volume, in a file of the same size.
func (p *probe) otherDisk() (*probe, error) {
	path, of, advice := p.Local, "local-", LocalHint
	if p.Beside != "" {
		path, of, advice = p.Beside, "beside-", besideHint
	}
	o := p.Options
	o.Path, o.Size, o.Erase, o.Sustained, o.only = path, p.target.Size, false, 0, p.steps
	other, err := newProbe(o)
	switch {
	case err != nil:
		return nil, err
	case other.target.Raw:
		err = errors.New("it is a block device")
	case other.target.place.InMemory:
		err = errors.New("it is in memory, not on a disk")
	case p.Local != "" && sameDisk(p.target, other.target):
		err = errors.New("both are on the same disk")
	}
	if err != nil {
		return nil, hint.Errorf(advice, "cannot compare %s with %s: %w", p.Path, path, err)
	}
	other.of = of
	return other, nil
}

// besideNotes returns what weakens the comparison with the disk beside p's.
func (p *probe) besideNotes() []Note {
	if p.Beside == "" || !sameDisk(p.target, p.other.target) {
		return nil
	}
	return []Note{{"same-disk", "both directories are on the same disk: their ratio shows what lies between them and the disk, not another disk", ""}}
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
