package runner

import (
	"context"
	"fmt"
	"time"

	"plinth/internal/engine"
	"plinth/internal/engine/postgres"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host"
	"plinth/internal/unit"
	"plinth/internal/volume"
)

// memoryShare is the part of the available memory that servers standing side by
// side may fill: above it their datasets would push each other out of the page
// cache, and an idle neighbour would no longer be idle.
const memoryShare = 0.6

// betweenRuns is what reset, two checkpoints and starting the load generator take
// on an idle server; only the first estimate rests on it.
const betweenRuns = 150 * time.Millisecond

// Preview is what an experiment will take, told before anything is made.
type Preview struct {
	Schedule   experiment.Schedule
	Runs       int
	Needs      []EnvironmentNeeds
	Disks      []DiskNeed
	Memory     int64 // bytes that all servers together keep in use
	Available  int64 // bytes of memory that are available now
	SideBySide bool
	Switches   int           // from one server to another, when not side by side
	SwitchTime time.Duration // of all of them
	LoadTime   time.Duration // loading the datasets
	RunTime    time.Duration // one run with what lies around it; 0 when unknown
	Total      time.Duration // 0 when unknown: a number of transactions takes its time
	Warnings   []experiment.Warning
}

// EnvironmentNeeds is what one environment takes; a connected server takes
// nothing of this machine that plinth could know.
type EnvironmentNeeds struct {
	Name      string
	Connected bool
	engine.Needs
}

// DiskNeed is what all environments together need of one filesystem.
type DiskNeed struct {
	Path   string // a directory on it, as the experiment names it
	Mount  string
	Needed int64
	Free   int64
}

// Look is the preview of an experiment after the same checks that a run makes.
func Look(options Options) (Preview, error) {
	r := newRunner(options, nil)
	if err := r.ready(context.Background()); err != nil {
		return Preview{}, err
	}
	return r.preview, nil
}

// NewPreview works out the needs of an experiment on this machine. With
// dataset.fit it first reduces the scale to what the volumes can hold, and says so.
func NewPreview(e *experiment.Experiment) (Preview, error) {
	p, err := previewAt(e)
	if err != nil || !e.Dataset.Fit {
		return p, err
	}
	wanted := e.Dataset.Scale
	for e.Dataset.Scale > 1 && p.tooSmall() != nil {
		e.Dataset.Scale /= 2
		if p, err = previewAt(e); err != nil {
			return p, err
		}
	}
	if e.Dataset.Scale != wanted {
		p.Warnings = append(p.Warnings, experiment.Warning{
			Rule: "smaller-dataset",
			Text: fmt.Sprintf("scale %d in place of %d: a volume is too small for more", e.Dataset.Scale, wanted),
		})
	}
	return p, nil
}

func previewAt(e *experiment.Experiment) (Preview, error) {
	p := Preview{Schedule: e.Schedule()}
	disks := map[string]*DiskNeed{}
	for _, environment := range e.Environments {
		needs := EnvironmentNeeds{Name: environment.Name, Connected: connected(environment)}
		if !needs.Connected {
			var err error
			if needs.Needs, err = postgres.Needs(e, environment); err != nil {
				return p, err
			}
			if err := addDisks(disks, environment.Storage, needs.Needs); err != nil {
				return p, fmt.Errorf("environment %s: %w", environment.Name, err)
			}
		}
		p.Needs = append(p.Needs, needs)
		p.Memory += needs.Memory
		p.LoadTime += needs.LoadTime
	}
	for _, need := range disks {
		p.Disks = append(p.Disks, *need)
	}
	var err error
	if p.Available, err = host.AvailableMemory(); err != nil {
		return p, err
	}
	p.arrange()
	p.estimate(e)
	return p, nil
}

// addDisks adds what an environment needs to the filesystems that it uses:
// environments often share one.
func addDisks(disks map[string]*DiskNeed, storage experiment.Storage, needs engine.Needs) error {
	for path, bytes := range map[string]int64{storage.Data: needs.Disk, storage.WAL: needs.WALDisk} {
		if path == "" {
			continue
		}
		if err := volume.Check(path); err != nil {
			return err
		}
		filesystem, err := host.FilesystemOf(path)
		if err != nil {
			return fmt.Errorf("cannot use %s: %w", path, err)
		}
		free, err := host.FreeSpace(path)
		if err != nil {
			return fmt.Errorf("cannot use %s: %w", path, err)
		}
		disk := disks[filesystem.MountPoint]
		if disk == nil {
			disk = &DiskNeed{Path: path, Mount: filesystem.MountPoint, Free: free}
			disks[filesystem.MountPoint] = disk
		}
		disk.Needed += bytes
	}
	return nil
}

// arrange decides whether the servers stand side by side. One server alone has
// nobody to stand beside.
func (p *Preview) arrange() {
	own := 0
	for _, needs := range p.Needs {
		if !needs.Connected {
			own++
		}
	}
	p.SideBySide = own <= 1 || float64(p.Memory) <= memoryShare*float64(p.Available)
	if p.SideBySide {
		return
	}
	at := ""
	for _, slots := range p.Schedule {
		for _, slot := range slots {
			if slot.Environment != at {
				p.Switches++
				p.SwitchTime += p.needs(slot.Environment).SwitchTime
			}
			at = slot.Environment
		}
	}
}

func (p *Preview) needs(environment string) engine.Needs {
	for _, needs := range p.Needs {
		if needs.Name == environment {
			return needs.Needs
		}
	}
	return engine.Needs{}
}

func (p *Preview) estimate(e *experiment.Experiment) {
	for _, slots := range p.Schedule {
		p.Runs += len(slots)
	}
	if e.Duration == 0 {
		return
	}
	p.RunTime = e.Warmup.Std() + e.Duration.Std() + e.Settle.Std() + betweenRuns
	runs := p.RunTime
	if e.Reset == "reload" {
		runs += p.LoadTime / time.Duration(len(p.Needs))
	}
	p.Total = p.LoadTime + p.SwitchTime + time.Duration(p.Runs)*runs
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
