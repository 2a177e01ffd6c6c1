package tune

import (
	"plinth/internal/host"
	"plinth/internal/profile"
)

// FactsOf is what an inventory says of a machine in the words of profiles: memory and
// CPUs are those that this process may use. What is about a server or a disk is for the
// caller to add.
func FactsOf(i host.Inventory) profile.Facts {
	f := profile.Facts{Memory: i.Memory.Total, CPUs: i.CPU.Online, HugePage: i.Memory.HugePageSize, HugePages: i.Memory.HugePages}
	f.HugePagesUsed = i.Memory.HugePages - i.Memory.HugePagesFree + i.Memory.HugePagesRsvd
	if limit := i.Cgroup.Memory; limit > 0 {
		f.Memory = min(f.Memory, limit)
	}
	if set, err := host.ParseRanges(i.Cgroup.CPUSet); err == nil && len(set) > 0 {
		f.CPUs = min(f.CPUs, len(set))
	}
	if quota := int(i.Cgroup.CPUs); quota > 0 {
		f.CPUs = min(f.CPUs, quota)
	}
	if len(i.CPU.Governors) > 0 {
		f.Governor = i.CPU.Governors[0].Value // the most common is the first
	}
	for _, n := range i.Nodes {
		f.Nodes = append(f.Nodes, profile.Node{ID: n.Node, CPUs: n.CPUs, Memory: n.Memory, Free: n.Free, HugePages: n.HugePages})
	}
	return f
}
