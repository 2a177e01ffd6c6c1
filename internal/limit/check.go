package limit

import (
	"fmt"
	"strconv"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/unit"
)

// leastMemory is less than any server needs to start. It catches limits in a wrong unit,
// with which the server would be killed before it logs anything.
const leastMemory = 16 * unit.MiB

// Check returns an error if Make cannot set these limits on this machine: because they make
// no sense on it, a controller is missing, or plinth is not allowed to create control
// groups. It changes nothing. Empty limits are always accepted.
func Check(l experiment.Limits) error {
	if l == (experiment.Limits{}) {
		return nil
	}
	m, err := look("/")
	if err == nil {
		err = m.check(l)
	}
	if err != nil {
		return fmt.Errorf("cannot limit the server: %w", err)
	}
	return nil
}

func (m machine) check(l experiment.Limits) error {
	if err := m.checkCredits(l); err != nil {
		return err
	}
	if err := m.checkCPU(l); err != nil {
		return err
	}
	if err := m.checkMemory(l.Memory); err != nil {
		return err
	}
	for _, controller := range controllersFor(l) {
		if err := m.checkController(controller); err != nil {
			return err
		}
	}
	if err := m.checkAbove(l); err != nil {
		return err
	}
	_, err := m.parents(controllersFor(l))
	return err
}

func (m machine) checkCPU(l experiment.Limits) error {
	there := len(allOf(m.cores))
	most, of := float64(there), "plinth is limited to "+unit.Count(there, "CPU")
	if l.CPUs > 0 {
		most, of = float64(l.CPUs), fmt.Sprintf("cpus is %d", l.CPUs)
	}
	switch {
	case l.CPUs < 0:
		return hint.Errorf("leave cpus out to use all CPUs", "cpus: %d is not a number of CPUs", l.CPUs)
	case l.CPUs > there:
		return hint.Errorf(fmt.Sprintf("set cpus to %d or less", there),
			"cpus: %d, but plinth is limited to %s", l.CPUs, unit.Count(there, "CPU"))
	case l.CPUQuota == 0:
		return nil
	case !(l.CPUQuota >= leastQuota):
		return hint.Errorf("leave cpu_quota out for no limit",
			"cpu_quota: %v is below the kernel's minimum of %v", l.CPUQuota, leastQuota)
	case l.CPUQuota > most:
		return hint.Errorf(fmt.Sprintf("set cpu_quota to less than %v, or leave it out", most),
			"cpu_quota: %v would never be reached: %s", l.CPUQuota, of)
	}
	return nil
}

func (m machine) checkMemory(memory unit.Size) error {
	switch {
	case memory == 0:
		return nil
	case memory < leastMemory:
		return hint.Errorf("set memory to what a server needs", "memory: %v is less than any server needs to start (%v)", memory, leastMemory)
	case int64(memory) > m.memory:
		return hint.Errorf("set memory to less, or leave it out",
			"memory: %v is more than the machine has (%v)", memory, unit.Size(m.memory))
	}
	return nil
}

// bootOptions enables controllers that the kernel has but does not use by default.
var bootOptions = map[string]string{memoryController: "boot the kernel with cgroup_enable=memory"}

func (m machine) checkController(controller string) error {
	if _, found := m.places[controller]; found {
		return nil
	}
	if len(m.places) == 0 {
		return hint.Errorf("mount them at /sys/fs/cgroup, or run plinth outside the container",
			"no control groups are mounted")
	}
	advice := bootOptions[controller]
	if advice == "" {
		advice = "run plinth where /proc/cgroups or cgroup.controllers lists it"
	}
	return hint.Errorf(advice, "the control groups have no controller %q", controller)
}

// controllersFor returns the controllers that the limits need, in order.
func controllersFor(l experiment.Limits) (controllers []string) {
	if l.CPUs > 0 {
		controllers = append(controllers, cpusetController)
	}
	if l.CPUQuota > 0 || l.CPUCredits.There() {
		controllers = append(controllers, cpuController)
	}
	if l.Memory > 0 {
		controllers = append(controllers, memoryController)
	}
	return controllers
}

// checkAbove refuses limits that exceed those of the parent groups, such as a container's
// or a service's. The kernel accepts most of them without an error.
func (m machine) checkAbove(l experiment.Limits) error {
	const advice = "request less, or raise the limit of the parent group"
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

// memoryLimit returns a group's own limit in bytes, in either version; false for none. In
// version 1 no limit is a number larger than any machine's memory.
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

// quotaLimit returns a group's own quota in CPUs, in either version; false for none.
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
