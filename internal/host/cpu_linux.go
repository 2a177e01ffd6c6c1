package host

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/host/sysfs"
)

// addCPU adds the online CPUs, how they share cores and sockets, and what determines their
// speed
// (Documentation/ABI/stable/sysfs-devices-system-cpu, Documentation/admin-guide/cputopology.rst).
func (i *Inventory) addCPU(root fs.FS) {
	cpus, err := onlineCPUs(root)
	if err != nil {
		i.gap("cpu", err)
	}
	i.CPU.Online = len(cpus)
	if i.CPU.Online == 0 {
		i.CPU.Online = countProcessors(sysfs.Word(root, "proc/cpuinfo"))
		return
	}
	i.CPU.addTopology(root, cpus)
	if i.CPU.Cores == 0 {
		i.gap("cpu", errors.New("/"+sysfs.CPUs+" does not show which CPUs share a core"))
	}
	i.CPU.addFrequency(root, cpus)
	i.CPU.SMT = sysfs.Word(root, sysfs.CPUs+"/smt/control")
	i.CPU.Caches = readCaches(root, cpus[0])
	i.CPU.IdleDriver = sysfs.Word(root, sysfs.CPUs+"/cpuidle/current_driver")
	i.CPU.Isolated = sysfs.Word(root, sysfs.CPUs+"/isolated")
}

func onlineCPUs(root fs.FS) ([]int, error) {
	text, err := fs.ReadFile(root, sysfs.CPUs+"/online")
	if err != nil {
		return nil, err
	}
	return ParseRanges(string(text))
}

// countProcessors returns the number of processors in /proc/cpuinfo, for a machine without
// /sys. It returns 0 on s390, whose format differs.
func countProcessors(cpuinfo string) (n int) {
	for line := range strings.Lines(cpuinfo) {
		if key, _, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == "processor" {
			n++
		}
	}
	return n
}

// addTopology counts cores by their sets of sibling CPUs: a core_id is unique only within a
// socket or die.
func (c *CPUInventory) addTopology(root fs.FS, cpus []int) {
	cores, sockets := map[string]bool{}, map[string]bool{}
	for _, cpu := range cpus {
		dir := cpuFile(cpu, "topology/")
		siblings := sysfs.Word(root, dir+"thread_siblings_list")
		together, err := ParseRanges(siblings)
		if err != nil || len(together) == 0 {
			continue
		}
		cores[siblings] = true
		sockets[sysfs.Word(root, dir+"physical_package_id")] = true
		c.ThreadsPerCore = max(c.ThreadsPerCore, len(together))
	}
	c.Cores, c.Sockets = len(cores), len(sockets)
}

// addFrequency adds the frequency scaling settings (Documentation/admin-guide/pm/cpufreq.rst).
func (c *CPUInventory) addFrequency(root fs.FS, cpus []int) {
	c.Governors = sharedValues(root, cpus, "cpufreq/scaling_governor")
	c.Preferences = sharedValues(root, cpus, "cpufreq/energy_performance_preference")
	c.Turbo = turbo(root)
	for _, cpu := range cpus {
		if c.Driver == "" {
			c.Driver = sysfs.Word(root, cpuFile(cpu, "cpufreq/scaling_driver"))
		}
		lowest := figure(root, cpuFile(cpu, "cpufreq/cpuinfo_min_freq"), 0) // in kHz
		if c.MinMHz == 0 || lowest > 0 && float64(lowest)/1000 < c.MinMHz {
			c.MinMHz = float64(lowest) / 1000
		}
		highest := figure(root, cpuFile(cpu, "cpufreq/cpuinfo_max_freq"), 0)
		c.MaxMHz = max(c.MaxMHz, float64(highest)/1000)
	}
}

// turbo returns "on", "off" or "": the file of intel_pstate is inverted, that of other
// drivers is not.
func turbo(root fs.FS) string {
	switch sysfs.Word(root, sysfs.CPUs+"/intel_pstate/no_turbo") {
	case "0":
		return "on"
	case "1":
		return "off"
	}
	switch sysfs.Word(root, sysfs.CPUs+"/cpufreq/boost") {
	case "0":
		return "off"
	case "1":
		return "on"
	}
	return ""
}

// sharedValues returns the distinct values of a per-CPU file, the most common first.
func sharedValues(root fs.FS, cpus []int, file string) []Shared {
	count := map[string]int{}
	for _, cpu := range cpus {
		if value := sysfs.Word(root, cpuFile(cpu, file)); value != "" {
			count[value]++
		}
	}
	var all []Shared
	for _, value := range slices.Sorted(maps.Keys(count)) {
		all = append(all, Shared{value, count[value]})
	}
	slices.SortStableFunc(all, func(a, b Shared) int { return b.CPUs - a.CPUs })
	return all
}

func cpuFile(cpu int, file string) string {
	return sysfs.CPUs + "/cpu" + strconv.Itoa(cpu) + "/" + file
}

// readCaches returns the caches of a CPU, nearest first
// (Documentation/ABI/testing/sysfs-devices-system-cpu). In a virtual machine they are those that
// the hypervisor presents, or none.
func readCaches(root fs.FS, cpu int) (caches []Cache) {
	dirs, _ := fs.Glob(root, cpuFile(cpu, "cache/index[0-9]*"))
	for _, dir := range dirs {
		level, err := sysfs.Count(root, dir+"/level")
		if err != nil {
			continue
		}
		sharers, _ := ParseRanges(sysfs.Word(root, dir+"/shared_cpu_list"))
		caches = append(caches, Cache{
			Level:    int(level),
			Type:     sysfs.Word(root, dir+"/type"),
			Size:     parseCacheSize(sysfs.Word(root, dir+"/size")),
			SharedBy: len(sharers),
		})
	}
	return caches
}

// parseCacheSize returns the bytes of "32K", the only unit that the kernel writes, and 0 for
// text that is not a size.
func parseCacheSize(text string) int64 {
	kib, err := strconv.ParseInt(strings.TrimSuffix(text, "K"), 10, 53)
	if err != nil || kib < 0 {
		return 0
	}
	return kib << 10
}
