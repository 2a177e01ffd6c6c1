package limit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/hint"
)

// period is the period of a CPU quota in microseconds: the kernel's default. A shorter one
// would shorten the waits but cost more CPU time.
const period = 100_000

// leastQuota is the kernel's minimum quota, 1 ms per period, in CPUs.
const leastQuota = 1000.0 / period

// setting is one file of a group and its value.
type setting struct {
	file, value string
	optional    bool   // the kernel may not have the file
	effective   string // the file with the resulting value; "" for file itself
}

// weightPerCPU is the weight of a group with a quota per CPU of the machine, relative to one
// process outside. By default a group weighs as much as one process, however many it has: on
// 2 busy CPUs each of eight processes in such a group got less than half as much as one
// outside, and the quota was never reached. With this weight they got the same. A far
// higher one would delay the load generator and the emulator.
const weightPerCPU = 2

// target is the group that settings are for.
type target struct {
	version     int
	machineCPUs int
	cpus, nodes string // lists in the kernel's format; nodes is "" for those of the parent
}

// settingsOf returns the settings of a controller's limit, in the order that the kernel
// requires.
func settingsOf(t target, controller string, l experiment.Limits) []setting {
	if controller == memoryController && l.Memory == 0 {
		return nil // accounting only
	}
	quota := strconv.Itoa(int(l.CPUQuota*period + 0.5))
	weight := weightPerCPU * t.machineCPUs
	memory := strconv.FormatInt(int64(l.Memory), 10)
	switch controller + strconv.Itoa(t.version) {
	case cpusetController + "1":
		return []setting{{file: "cpuset.mems", value: t.nodes}, {file: "cpuset.cpus", value: t.cpus}}
	case cpusetController + "2":
		set := []setting{{file: "cpuset.cpus", value: t.cpus, effective: "cpuset.cpus.effective"}}
		if t.nodes != "" {
			set = append(set, setting{file: "cpuset.mems", value: t.nodes, effective: "cpuset.mems.effective"})
		}
		return set
	case cpuController + "1":
		return []setting{{file: "cpu.cfs_period_us", value: strconv.Itoa(period)}, {file: "cpu.cfs_quota_us", value: quota},
			{file: "cpu.shares", value: strconv.Itoa(min(1024*weight, 262144))}}
	case cpuController + "2":
		return []setting{{file: "cpu.max", value: quota + " " + strconv.Itoa(period)},
			{file: "cpu.weight", value: strconv.Itoa(min(100*weight, 10000))}}
	case memoryController + "1":
		return []setting{{file: "memory.limit_in_bytes", value: memory},
			{file: "memory.memsw.limit_in_bytes", value: memory, optional: true}}
	case memoryController + "2":
		return []setting{{file: "memory.max", value: memory},
			{file: "memory.swap.max", value: "0", optional: true}}
	}
	return nil
}

// set writes the setting in the group dir and checks the resulting value.
func (s setting) set(dir string) error {
	err := writeWord(dir, s.file, s.value)
	if s.optional && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return hint.Errorf("check the limits of the parent groups",
			"cannot set %s to %s: %w", s.file, s.value, err)
	}
	file := s.effective
	if file == "" {
		file = s.file
	}
	got, err := readWord(dir, file)
	if err != nil {
		return err
	}
	if got != s.value {
		return hint.Errorf("check the limits of the parent groups",
			"%s is %s after it was set to %s", file, got, s.value)
	}
	return nil
}

// memoryNodes returns the nodes that a group of version 1 may use. A new child group has
// none until they are set.
func memoryNodes(dir string) (string, error) {
	nodes, err := readWord(dir, "cpuset.effective_mems")
	if errors.Is(err, fs.ErrNotExist) { // before Linux 4.0
		nodes, err = readWord(dir, "cpuset.mems")
	}
	if err == nil && strings.TrimSpace(nodes) == "" {
		err = fmt.Errorf("%s has no memory node", dir)
	}
	return nodes, err
}

// readWord returns the content of a file of a control group without surrounding white space.
func readWord(dir, name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, name))
	return strings.TrimSpace(string(text)), err
}

// writeWord writes an existing file of a control group. os.WriteFile would try to create a
// missing file, which only the kernel can, and report that it is not permitted.
func writeWord(dir, name, value string) error {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(value)
	return err
}
