package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"plinth/internal/figure/window"
	"plinth/internal/record"
)

// resources hold what the run used of the machine, each against its ceiling where
// that is known: the most used first, the unknown last.
func (m *maker) resources() []record.Resource {
	if m.in.Environment.Elsewhere {
		return nil
	}
	all := append(m.processors(), m.memories()...)
	if disks, why := m.allDisks(); why == "" {
		for _, disk := range disks {
			all = append(all, m.diskResources(disk)...)
		}
	}
	slices.SortStableFunc(all, func(a, b record.Resource) int { return cmp.Compare(rank(b), rank(a)) })
	return all
}

func rank(r record.Resource) float64 {
	if r.Ceiling == 0 {
		return -1 // unknown
	}
	return r.Use
}

// resource holds what was used of something; none where that is not known.
func resource(name, unit string, used window.Series, ceiling float64, from string) []record.Resource {
	mean := used.Mean()
	peak, _ := used.Most()
	r := record.Resource{Name: name, Unit: unit, Mean: mean.Value, Peak: peak.Value}
	if ceiling > 0 && !math.IsInf(ceiling, 0) {
		r.Ceiling, r.From, r.Use = ceiling, from, mean.Value/ceiling
	}
	for _, f := range []float64{r.Mean, r.Peak, r.Use} {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return nil
		}
	}
	if mean.Why != "" {
		return nil
	}
	return []record.Resource{r}
}

// processors are the CPUs: those that the experiment or a container leaves to its server, those that
// a quota leaves to all of plinth, its own server included, or all.
func (m *maker) processors() []record.Resource {
	if l := m.in.Environment.Limits; l != nil && l.CPUQuota > 0 {
		return resource("cpu of the server", "s/s", m.Of("process.server.cpu"), l.CPUQuota, "cpu_quota of the environment")
	}
	if l := m.in.Environment.Limits; l != nil && l.CPUs != "" {
		return resource("cpu of the server", "s/s", m.Of("process.server.cpu"), float64(l.CPUCount()), "cpus of the environment: "+l.CPUs)
	}
	if i := m.in.Inventory; i != nil && i.Cgroup.CPUs > 0 && m.in.Environment.Kind != "connected" {
		return resource("cpu", "s/s", m.Of("cgroup.cpu.usage"), i.Cgroup.CPUs, "CPU quota of the cgroup")
	}
	cpus := math.Round(m.Of(modes...).Mean().Value) // each passes a second a second
	from := fmt.Sprintf("%g CPUs", cpus)
	if cpus == 1 {
		from = "1 CPU"
	}
	return resource("cpu", "s/s", m.Of(working...), cpus, from)
}

// memories are the memory: what a limit leaves to the server, or to all of plinth and its own server, or all.
func (m *maker) memories() []record.Resource {
	if l := m.in.Environment.Limits; l != nil && l.Memory > 0 {
		return resource("memory of the server", "bytes", m.Of("cgroup.memory.current"), float64(l.Memory-l.HugePages), "memory of the environment, page cache included"+map[bool]string{true: ", huge pages left out"}[l.HugePages > 0])
	}
	if i := m.in.Inventory; i != nil && i.Cgroup.Memory > 0 && m.in.Environment.Kind != "connected" {
		return resource("memory", "bytes", m.Of("cgroup.memory.current"), float64(i.Cgroup.Memory), "memory limit of the cgroup, page cache included")
	}
	size, free := m.Of("meminfo.MemTotal").Mean(), "meminfo.MemAvailable"
	used := m.Of(free)
	for i := range used.Values {
		used.Values[i] = size.Value - used.Values[i]
	}
	if used.Why == "" {
		used.Why = size.Why
	}
	return resource("memory", "bytes", used, size.Value, "MemTotal")
}

// parallel holds what must be known of a disk's busy time.
const parallel = "all of the time; a disk that serves many requests at once is not saturated even then"

// diskResources are those of one disk. Their capacity is known if the disk is
// limited or emulated; otherwise only the use of its time is.
func (m *maker) diskResources(disk string) []record.Resource {
	limit := m.limitsOf(disk)
	iops, flow, from := m.modelled(disk)
	all := resource(disk+" busy", "s/s", m.Of(of([]string{disk}, "utilisation")...), 1, parallel)
	for _, r := range []struct {
		name, unit, read, write string
		reads, writes, both     float64
	}{
		{"iops", "1/s", "reads", "writes", limit["riops"], limit["wiops"], iops},
		{"throughput", "bytes/s", "read_bytes", "write_bytes", limit["rbps"], limit["wbps"], flow},
	} {
		read, write := of([]string{disk}, r.read), of([]string{disk}, r.write)
		both := append(read, write...)
		for range m.copies(disk) - 1 { // the limit of an array counts each copy of a write; the kernel counts the write once
			both = append(both, write...)
		}
		all = append(all, resource(disk+" "+r.name, r.unit, m.Of(both...), r.both, from)...)
		if r.reads > 0 {
			all = append(all, resource(disk+" read "+r.name, r.unit, m.Of(read...), r.reads, limited)...)
		}
		if r.writes > 0 {
			all = append(all, resource(disk+" write "+r.name, r.unit, m.Of(write...), r.writes, limited)...)
		}
	}
	return all
}

// modes are those of /proc/stat that together are the time of all CPUs: guest time
// is in user and nice already (proc_stat(5)).
var (
	working = []string{"stat.cpu.user", "stat.cpu.nice", "stat.cpu.system", "stat.cpu.irq", "stat.cpu.softirq"}
	modes   = append([]string{"stat.cpu.idle", "stat.cpu.iowait", "stat.cpu.steal"}, working...)
)

// cpu is who used the CPUs: shares of the time of all of them.
func (m *maker) cpu() {
	m.put("cpu-use", m.Share(working, modes))
	for _, owner := range []string{"server", "generator", "plinth", "others"} {
		m.put("cpu-by-"+owner, m.Share([]string{"process." + owner + ".cpu"}, modes))
	}
	m.put("cpu-iowait", m.Share([]string{"stat.cpu.iowait"}, modes))
	m.put("cpu-steal", m.Share([]string{"stat.cpu.steal"}, modes))
}

// memory is how much of it was dirty, and in use.
func (m *maker) memory() {
	peak, second := m.Of("meminfo.Dirty").Most()
	m.put("dirty-peak", peak)
	m.put("dirty-peak-second", second)
	free := m.Share([]string{"meminfo.MemAvailable"}, []string{"meminfo.MemTotal"})
	m.put("memory-use", window.Number{Value: 1 - free.Value, Why: free.Why})
}

// pressure is how long tasks waited for the machine
// (Documentation/accounting/psi.rst).
func (m *maker) pressure() {
	for _, of := range []string{"cpu", "io", "memory"} {
		m.put(of+"-pressure", m.Of("pressure."+of+".some").Mean())
	}
}
