package tune

import (
	"math"

	"plinth/internal/device"
	"plinth/internal/host"
	"plinth/internal/profile"
)

// FactsOf derives a profile's facts from an inventory. Memory and CPUs are limited to what this
// process may use. The caller adds the facts of servers and disks.
func FactsOf(i host.Inventory) profile.Facts {
	f := profile.Facts{Memory: i.Memory.Total, CPUs: i.CPU.Online, HugePage: i.Memory.HugePageSize, HugePages: i.Memory.HugePages}
	f.HugePagesUsed = i.Memory.HugePages - i.Memory.HugePagesFree + i.Memory.HugePagesRsvd
	if limit := i.Cgroup.Memory; limit > 0 {
		f.Memory, f.Limited = min(f.Memory, limit), limit < f.Memory
	}
	if set, err := host.ParseRanges(i.Cgroup.CPUSet); err == nil && len(set) > 0 {
		f.CPUs = min(f.CPUs, len(set))
	}
	if quota := i.Cgroup.CPUs; quota > 0 {
		f.CPUs = min(f.CPUs, int(math.Ceil(quota)))
	}
	if len(i.CPU.Governors) > 0 {
		f.Governor = i.CPU.Governors[0].Value // sorted by frequency
	}
	for _, n := range i.Nodes {
		f.Nodes = append(f.Nodes, profile.Node{ID: n.Node, CPUs: n.CPUs, Memory: n.Memory, Free: n.Free, HugePages: n.HugePages})
	}
	return f
}

// DiskOf derives a disk's facts from its model. BestDepth is the queue depth at which the limit
// on random reads is reached (Little's law).
func DiskOf(d device.Device, rotational bool) profile.Disk {
	e := device.Ideal(d)
	disk := profile.Disk{Probed: true, Rotational: rotational, RandomReadsMost: e.Reads}
	if e.QD1Reads > 0 {
		disk.RandomRead = 1 / e.QD1Reads
		disk.SequentialRead = disk.RandomRead
	}
	if e.Throughput > 0 {
		disk.SequentialRead = float64(device.PageSize) / float64(e.Throughput)
	}
	if e.Commits > 0 {
		disk.Sync = 1 / e.Commits
	}
	if e.Reads > 0 {
		disk.BestDepth = int(math.Ceil(e.Reads * disk.RandomRead))
	}
	return disk
}
