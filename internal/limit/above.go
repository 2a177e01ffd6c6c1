package limit

import (
	"strconv"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/unit"
)

// checkAbove refuses limits that the groups above would keep the server from ever
// reaching: those of a container, or of a service. The kernel takes most of them and
// says nothing.
func (m machine) checkAbove(l experiment.Limits) error {
	const advice = "ask for less, or give the group above more"
	for _, dir := range m.places[memoryController].upwards() {
		if most, set := memoryLimit(dir); set && int64(l.Memory) > most {
			return hint.Errorf(advice, "memory: %v is more than the control group %s has (%v)", l.Memory, dir, unit.Size(most))
		}
	}
	for _, dir := range m.places[cpuController].upwards() {
		if most, set := quotaLimit(dir); set && l.CPUQuota > most {
			return hint.Errorf(advice, "cpu_quota: %v is more than the control group %s has (%v)", l.CPUQuota, dir, most)
		}
	}
	return nil
}

// memoryLimit is a group's own limit in bytes, of either version; false for none,
// which version 1 writes as a number that no machine has.
func memoryLimit(dir string) (bytes int64, set bool) {
	for _, file := range []string{"memory.max", "memory.limit_in_bytes"} {
		text, err := readWord(dir, file)
		if err != nil {
			continue
		}
		n, err := strconv.ParseInt(text, 10, 64)
		return n, err == nil
	}
	return 0, false
}

// quotaLimit is a group's own quota in CPUs, of either version; false for none.
func quotaLimit(dir string) (cpus float64, set bool) {
	text, err := readWord(dir, "cpu.max") // "50000 100000", or "max 100000"
	if err != nil {
		quota, _ := readWord(dir, "cpu.cfs_quota_us") // -1 for none
		every, _ := readWord(dir, "cpu.cfs_period_us")
		text = quota + " " + every
	}
	quota, every, _ := strings.Cut(text, " ")
	n, err := strconv.ParseFloat(quota, 64)
	of, failed := strconv.ParseFloat(every, 64)
	if err != nil || failed != nil || n < 0 || of <= 0 {
		return 0, false
	}
	return n / of, true
}
