package runner

import (
	"fmt"

	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/unit"
	"plinth/internal/volume"
)

// DiskNeed is what all environments together need of one filesystem.
type DiskNeed struct {
	Path   string // a directory on it, as the experiment names it
	Mount  string
	Needed int64
	Free   int64 // of a filesystem in memory: no more than the memory that is available

	id string
}

// addDisks adds what an environment needs to the filesystems that it uses:
// environments often share one.
func (p *Preview) addDisks(storage experiment.Storage, needs engine.Needs) error {
	if err := p.addDisk(storage.Data, needs.Disk); err != nil {
		return err
	}
	if storage.WAL == "" {
		return nil
	}
	return p.addDisk(storage.WAL, needs.WALDisk)
}

func (p *Preview) addDisk(path string, bytes int64) error {
	if err := volume.Check(path); err != nil {
		return err
	}
	filesystem, err := host.FilesystemOf(path)
	if err != nil {
		return fmt.Errorf("cannot use %s: %w", path, err)
	}
	for i := range p.Disks {
		if p.Disks[i].id == filesystem.ID {
			p.Disks[i].Needed += bytes
			return nil
		}
	}
	free, err := host.FreeSpace(path)
	if err != nil {
		return fmt.Errorf("cannot use %s: %w", path, err)
	}
	if filesystem.InMemory {
		free = min(free, p.Available)
	}
	p.Disks = append(p.Disks, DiskNeed{Path: path, Mount: filesystem.MountPoint, Needed: bytes, Free: free, id: filesystem.ID})
	return nil
}

// tooSmall is the first volume or memory that cannot hold what it has to.
func (p *Preview) tooSmall() error {
	for _, disk := range p.Disks {
		if disk.Needed > disk.Free {
			return hint.Errorf("free some space, choose another place (storage), a smaller dataset.scale or max_wal_size",
				"%s is too small: %s needed, %s free on %s", disk.Path,
				unit.Size(disk.Needed), unit.Size(disk.Free), disk.Mount)
		}
	}
	for _, needs := range p.Needs {
		if needs.SharedMemory > p.Available {
			return hint.Errorf("lower shared_buffers (or max_connections), or free some memory",
				"memory is too small for environment %s: %s of shared memory needed, %s available",
				needs.Name, unit.Size(needs.SharedMemory), unit.Size(p.Available))
		}
	}
	return nil
}
