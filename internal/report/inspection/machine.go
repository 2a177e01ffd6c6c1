package inspection

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/host"
	"plinth/internal/inspect"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
)

// MachineFacts returns the facts of this machine as lines.
func MachineFacts(i inspect.Inspection) []prose.Fact {
	m := i.Machine
	facts := []prose.Fact{
		{Name: "machine", Text: machineLine(m)},
		{Name: "CPU", Text: cpuLine(m)},
		{Name: "NUMA", Text: numaLine(m.Nodes)},
		{Name: "memory", Text: memoryLine(m.Memory)},
		{Name: "kernel", Text: kernelLine(m)},
		{Name: "limits", Text: limitsLine(m)},
		{Name: "load", Text: loadLine(m)},
	}
	facts = slices.DeleteFunc(facts, func(f prose.Fact) bool { return f.Text == "" })
	for n, p := range m.Places {
		facts = append(facts, placeFacts(p, m.Places[:n], m.Disks)...)
	}
	return facts
}

func machineLine(m host.Inventory) string {
	kind := ""
	if m.Virtualisation != "" {
		kind = "a virtual machine (" + m.Virtualisation + ")"
	}
	if m.Container != "" {
		kind = phrase.Join(", ", "a container ("+m.Container+")", kind)
	}
	system := phrase.When(m.Kernel != "", "Linux %s", m.Kernel)
	return phrase.Join(", ", m.Hostname, m.Product, kind, m.OS, phrase.Join(" ", system, m.Arch))
}

func cpuLine(m host.Inventory) string {
	c := m.CPU
	if c.Online == 0 {
		return ""
	}
	var governors, caches []string
	for _, g := range c.Governors {
		governors = append(governors, fmt.Sprintf("%s on %d", g.Value, g.CPUs))
	}
	for _, cache := range c.Caches {
		if cache.Level > 1 {
			caches = append(caches, fmt.Sprintf("L%d %s", cache.Level, phrase.Bytes(cache.Size)))
		}
	}
	frequency := "no frequency control visible"
	if c.Driver != "" {
		frequency = phrase.Join(", ", c.Driver, "governor "+strings.Join(governors, " and "), phrase.When(c.MaxMHz > 0, "up to %.1f GHz", c.MaxMHz/1000), phrase.When(c.Turbo != "", "turbo %s", c.Turbo))
	}
	count := fmt.Sprintf("%s: %s", phrase.Plural(c.Online, "CPU"), phrase.Join(", ", phrase.When(c.Cores > 0, "%s", phrase.Plural(c.Cores, "core")), phrase.When(c.Sockets > 0, "%s", phrase.Plural(c.Sockets, "socket"))))
	return phrase.Join("; ", phrase.Join(", ", m.CPUModel, count), strings.Join(caches, ", "), frequency, phrase.When(m.Clock != "", "clock source %s", m.Clock))
}

func numaLine(nodes []host.NUMANode) string {
	if len(nodes) == 0 {
		return ""
	}
	farthest := 0
	for _, n := range nodes {
		farthest = max(farthest, slices.Max(append([]int{0}, n.Distances...)))
	}
	return phrase.Plural(len(nodes), "node") + phrase.When(len(nodes) > 1, ", distance up to %d", farthest)
}

func memoryLine(m host.MemoryOf) string {
	if m.Total == 0 {
		return ""
	}
	swap, huge := "no swap", "no huge pages reserved"
	if m.SwapTotal > 0 {
		swap = fmt.Sprintf("swap %s, %s of it used", phrase.Bytes(m.SwapTotal), phrase.Bytes(m.SwapUsed))
	}
	if m.HugePages > 0 {
		huge = fmt.Sprintf("%s huge pages of %s, %s free", phrase.Count(float64(m.HugePages)), phrase.Bytes(m.HugePageSize), phrase.Count(float64(m.HugePagesFree)))
	}
	return phrase.Join("; ", phrase.Bytes(m.Total)+", "+phrase.Bytes(m.Available)+" available", swap, huge, phrase.When(m.THP != "", "transparent huge pages %s", m.THP))
}

// shownSysctls holds the settings that findings refer to; the JSON has all of them.
var shownSysctls = strings.Fields(`vm.swappiness vm.dirty_background_ratio vm.dirty_background_bytes vm.dirty_ratio vm.dirty_bytes
	vm.overcommit_memory vm.zone_reclaim_mode kernel.numa_balancing`)

func kernelLine(m host.Inventory) string {
	var parts []string
	for _, s := range m.Sysctl {
		unused := strings.HasSuffix(s.Name, "_bytes") && s.Value == "0" // the ratio counts
		if slices.Contains(shownSysctls, s.Name) && !unused {
			parts = append(parts, s.Name+" "+s.Value)
		}
	}
	return strings.Join(parts, ", ")
}

func limitsLine(m host.Inventory) string {
	c := m.Cgroup
	limits := phrase.Join(", ", phrase.When(c.CPUs > 0, "%s CPUs", phrase.Count(c.CPUs)), phrase.When(c.CPUSet != "", "CPUs %s", c.CPUSet), phrase.When(c.Memory > 0, "memory %s", phrase.Bytes(c.Memory)), phrase.When(c.IOLimits != "", "I/O %s", c.IOLimits))
	if limits == "" {
		limits = "no cgroup limits"
	}
	for _, l := range m.Limits {
		if l.Name == "max open files" {
			limits += "; open files: " + strings.Replace(l.Value, " files hard", " per process", 1)
		}
	}
	return limits
}

func loadLine(m host.Inventory) string {
	var busiest []string
	for _, p := range inspect.ByName(m.Busiest) {
		busiest = append(busiest, fmt.Sprintf("%s %.1f CPUs", p.Command, p.CPU))
	}
	load := fmt.Sprintf("%.2f, %.2f, %.2f over 1, 5 and 15 minutes", m.Load.One, m.Load.Five, m.Load.Fifteen)
	return phrase.Join("; busiest: ", load, strings.Join(busiest, ", "))
}

// placeFacts describes a directory and the devices below it, down to the disks. For a directory
// on the same filesystem as an earlier one it only refers to that one.
func placeFacts(p host.Place, before []host.Place, disks []host.Disk) []prose.Fact {
	for _, other := range before {
		if p.Source == other.Source && p.Options == other.Options && p.Filesystem == other.Filesystem && !p.InMemory {
			return []prose.Fact{{Name: p.Role, Text: p.Path + ": on the same filesystem as " + other.Role}}
		}
	}
	facts := []prose.Fact{{Name: p.Role, Text: fmt.Sprintf("%s: %s (%s), %s free of %s", p.Path, p.Filesystem, p.Options, phrase.Bytes(p.Free), phrase.Bytes(p.Size))}}
	if p.Network {
		facts = append(facts, prose.Fact{Name: "", Text: "over the network from " + p.Source})
	}
	for _, r := range p.Remote {
		facts = append(facts, prose.Fact{Name: "", Text: "over a network: " + r.String()})
	}
	for _, l := range p.Layers {
		if l.Kind != "disk" {
			facts = append(facts, prose.Fact{Name: "", Text: phrase.Join(", ", "on "+l.Name+": "+l.Kind, l.Detail, phrase.When(l.Missing > 0, "%s missing", phrase.Plural(l.Missing, "disk")), l.Sync)})
		}
	}
	for _, d := range disks {
		if slices.Contains(p.Disks, d.Name) {
			facts = append(facts, prose.Fact{Name: "", Text: "on " + diskLine(d)})
		}
	}
	return facts
}

func diskLine(d host.Disk) string {
	cache := strings.TrimSpace(d.WriteCache + phrase.When(d.WriteCache == "write back" && d.FUA, " with FUA"))
	return d.Name + ": " + phrase.Join(", ", d.Model, phrase.When(d.Ephemeral, "lost when the instance stops"), d.Transport, phrase.Bytes(d.Size), phrase.When(d.Rotational, "rotational"),
		phrase.When(d.Scheduler != "", "scheduler %s", d.Scheduler), phrase.When(d.ReadAhead > 0, "read-ahead %s", phrase.Bytes(d.ReadAhead)),
		cache, phrase.When(d.NUMANode >= 0, "NUMA node %d", d.NUMANode))
}
