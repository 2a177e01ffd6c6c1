package host

import (
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// addFrequency adds what decides how fast the CPUs run
// (Documentation/admin-guide/pm/cpufreq.rst, Documentation/ABI/testing/sysfs-devices-system-cpu).
func (c Conditions) addFrequency(root fs.FS) {
	c.addOfEachCPU(root, "governor", "cpufreq/scaling_governor")
	c.addOfEachCPU(root, "energy preference", "cpufreq/energy_performance_preference")
	c.add(root, "boost", cpuDir+"/cpufreq/boost")
	c.add(root, "no_turbo", cpuDir+"/intel_pstate/no_turbo")
	c.add(root, "SMT", cpuDir+"/smt/control")
}

// addOfEachCPU adds a setting that each CPU has: its value when it is the same
// everywhere, else "performance on 0-3; powersave on 4-7".
func (c Conditions) addOfEachCPU(root fs.FS, name, file string) {
	dirs, _ := fs.Glob(root, cpuDir+"/cpu[0-9]*")
	cpus := map[string][]int{}
	for _, dir := range dirs {
		value, there := setting(root, path.Join(dir, file))
		cpu, err := strconv.Atoi(strings.TrimPrefix(path.Base(dir), "cpu"))
		if there && err == nil {
			cpus[value] = append(cpus[value], cpu)
		}
	}
	if len(cpus) > 0 {
		c[name] = fold(cpus)
	}
}

// fold says which CPUs have which value, shortly.
func fold(cpus map[string][]int) string {
	var parts []string
	for value, list := range cpus {
		if len(cpus) == 1 {
			return value
		}
		parts = append(parts, value+" on "+Ranges(list))
	}
	slices.Sort(parts)
	return strings.Join(parts, "; ")
}
