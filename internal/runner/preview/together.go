package preview

import (
	"slices"

	"plinth/internal/experiment"
)

// Shared returns what agents on one kernel need of its memory and disks together, from the previews of
// each. It has nothing else.
func Shared(parts []Preview) Preview {
	var all Preview
	for _, p := range parts {
		all.Needs = append(all.Needs, p.Needs...)
		all.Memory += p.Memory
		all.SharedMemory += p.SharedMemory
		all.Available = max(all.Available, p.Unlimited) // each has checked its own limit
		all.Claims = append(all.Claims, p.Claims...)
		for _, disk := range p.Disks {
			if disk.Filesystem == "" || !all.shareDisk(disk) {
				all.Disks = append(all.Disks, disk)
			}
		}
	}
	return all
}

// Crowded reports whether the servers that run at the same time would evict each other's data from the
// page cache.
func (p *Preview) Crowded() bool { return float64(p.Memory) > memoryShare*float64(p.Available) }

// Together returns the preview of an experiment from the previews of each agent's environments, and of
// what each machine has to provide. Memory is that of the machine with the least to spare.
func Together(e *experiment.Experiment, parts, machines []Preview) Preview {
	all := Preview{Schedule: e.Schedule(), SideBySide: true}
	for i, p := range machines {
		all.Needs = append(all.Needs, p.Needs...)
		all.Disks = append(all.Disks, p.Disks...)
		if i == 0 || p.Available-p.Memory < all.Available-all.Memory {
			all.Memory, all.Available = p.Memory, p.Available
		}
	}
	for _, p := range parts {
		all.SideBySide = all.SideBySide && p.SideBySide
		all.Sharing = all.Sharing || p.Sharing
		all.Differs = all.Differs || p.Differs
		all.Switches += p.Switches
		all.SwitchTime += p.SwitchTime
		all.LoadTime += p.LoadTime
		all.Tuned = append(all.Tuned, p.Tuned...)
		all.LeftOut = append(all.LeftOut, p.LeftOut...)
		all.Bursts = append(all.Bursts, p.Bursts...)
		for _, w := range p.Warnings {
			if !slices.Contains(all.Warnings, w) {
				all.Warnings = append(all.Warnings, w)
			}
		}
	}
	load := all.LoadTime
	all.estimate(e)
	if e.Dataset.Reload == "repeat" { // the parts have counted each repeat
		all.Total -= all.LoadTime - load
		all.LoadTime = load
	}
	return all
}
