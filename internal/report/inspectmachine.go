package report

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/host"
	"plinth/internal/inspect"
	"plinth/internal/prose"
)

// machineFacts is this machine in lines.
func machineFacts(i inspect.Inspection) []prose.Fact {
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
		kind = joined(", ", "a container ("+m.Container+")", kind)
	}
	system := when(m.Kernel != "", "Linux %s", m.Kernel)
	return joined(", ", m.Hostname, m.Product, kind, m.OS, joined(" ", system, m.Arch))
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
			caches = append(caches, fmt.Sprintf("L%d %s", cache.Level, bytes(cache.Size)))
		}
	}
	frequency := "no frequency control to be seen"
	if c.Driver != "" {
		frequency = joined(", ", c.Driver, "governor "+strings.Join(governors, " and "), when(c.MaxMHz > 0, "up to %.1f GHz", c.MaxMHz/1000), when(c.Turbo != "", "turbo %s", c.Turbo))
	}
	count := fmt.Sprintf("%s: %s", plural(c.Online, "CPU"), joined(", ", when(c.Cores > 0, "%s", plural(c.Cores, "core")), when(c.Sockets > 0, "%s", plural(c.Sockets, "socket"))))
	return joined("; ", joined(", ", m.CPUModel, count), strings.Join(caches, ", "), frequency, when(m.Clock != "", "clock source %s", m.Clock))
}

func numaLine(nodes []host.NUMANode) string {
	if len(nodes) == 0 {
		return ""
	}
	farthest := 0
	for _, n := range nodes {
		farthest = max(farthest, slices.Max(append([]int{0}, n.Distances...)))
	}
	return plural(len(nodes), "node") + when(len(nodes) > 1, ", distance up to %d", farthest)
}

func memoryLine(m host.MemoryOf) string {
	if m.Total == 0 {
		return ""
	}
	swap, huge := "no swap", "no huge pages reserved"
	if m.SwapTotal > 0 {
		swap = fmt.Sprintf("swap %s, %s of it used", bytes(m.SwapTotal), bytes(m.SwapUsed))
	}
	if m.HugePages > 0 {
		huge = fmt.Sprintf("%s huge pages of %s, %s free", Count(float64(m.HugePages)), bytes(m.HugePageSize), Count(float64(m.HugePagesFree)))
	}
	return joined("; ", bytes(m.Total)+", "+bytes(m.Available)+" available", swap, huge, when(m.THP != "", "transparent huge pages %s", m.THP))
}

// shownSysctls are those that findings are about; all of them are in the JSON.
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
	limits := joined(", ", when(c.CPUs > 0, "%s CPUs", Count(c.CPUs)), when(c.CPUSet != "", "CPUs %s", c.CPUSet), when(c.Memory > 0, "memory %s", bytes(c.Memory)), when(c.IOLimits != "", "I/O %s", c.IOLimits))
	if limits == "" {
		limits = "none of the cgroup"
	}
	for _, l := range m.Limits {
		if l.Name == "max open files" {
			limits += "; open files: " + strings.Replace(l.Value, " files hard", " a process at the most", 1)
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
	return joined("; busiest: ", load, strings.Join(busiest, ", "))
}
