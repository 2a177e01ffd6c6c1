package preview

import (
	"cmp"
	"fmt"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/unit"
	"plinth/internal/volume"
)

// DiskNeed is the space that all environments together need on one filesystem, in bytes.
type DiskNeed struct {
	Path   string // a directory on it, as the experiment names it
	Mount  string
	Needed int64
	Free   int64 // on a filesystem in memory at most the available memory

	Filesystem string // the same for all paths on it, also in containers of one kernel
	Hint       string // another remedy if the space is too small
}

// addDisks adds an environment's needs to those of its filesystems, which environments often
// share.
func (p *Preview) addDisks(parts []experiment.Part, needs EnvironmentNeeds) error {
	for _, part := range parts {
		o := volume.Options{Size: needs.Volumes[part.Role]}
		if err := o.TooSmall(part); err != nil && p.short == nil {
			p.short = fmt.Errorf("environment %s: %w", needs.Name, err)
		}
		for _, t := range o.Takes(part) {
			if err := p.addDisk(t); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Preview) addDisk(t volume.Takes) error {
	path := t.Directory
	if err := volume.CheckDirectory(path); err != nil {
		return err
	}
	filesystem, err := host.FilesystemOf(path)
	if err != nil {
		return fmt.Errorf("cannot use %s: %w", path, err)
	}
	need := DiskNeed{Path: path, Mount: filesystem.MountPoint, Needed: t.Bytes, Filesystem: filesystem.ID, Hint: t.Hint}
	if p.shareDisk(need) {
		return nil
	}
	if need.Free, err = host.FreeSpace(path); err != nil {
		return fmt.Errorf("cannot use %s: %w", path, err)
	}
	if filesystem.InMemory {
		need.Free = min(need.Free, p.Available)
	}
	p.Disks = append(p.Disks, need)
	return nil
}

// shareDisk adds a need to that of the same filesystem. It returns false if there is none yet.
func (p *Preview) shareDisk(need DiskNeed) bool {
	for i := range p.Disks {
		if disk := &p.Disks[i]; disk.Filesystem == need.Filesystem {
			disk.Needed += need.Needed
			disk.Hint = cmp.Or(disk.Hint, need.Hint)
			return true
		}
	}
	return false
}

// TooSmall returns an error for the first volume, filesystem or memory that is too small.
func (p *Preview) TooSmall() error {
	if p.short != nil {
		return p.short
	}
	for _, disk := range p.Disks {
		if disk.Needed > disk.Free {
			return hint.Errorf(strings.TrimSuffix("free some space, or choose another place (storage), a smaller dataset.scale or a smaller max_wal_size; "+disk.Hint, "; "),
				"%s is too small: %s needed, %s free on %s", disk.Path,
				unit.Size(disk.Needed), unit.Size(disk.Free), disk.Mount)
		}
	}
	for _, needs := range p.Needs {
		if needs.SharedMemory > p.Available {
			return hint.Errorf("lower shared_buffers (or max_connections), or free some memory",
				"too little memory for environment %s: %s of shared memory needed, %s available",
				needs.Name, unit.Size(needs.SharedMemory), unit.Size(p.Available))
		}
	}
	if p.SharedMemory > p.Available {
		return hint.Errorf("lower shared_buffers (or max_connections), or free some memory",
			"too little memory for the servers that run at the same time: %s of shared memory needed, %s available",
			unit.Size(p.SharedMemory), unit.Size(p.Available))
	}
	return nil
}
