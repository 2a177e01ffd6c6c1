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

// period is how often a CPU quota is given anew, in microseconds: the kernel's
// default. A shorter one would shorten the waits and cost more.
const period = 100_000

// leastQuota is 1 ms of each period, the least that the kernel takes, in CPUs.
const leastQuota = 1000.0 / period

// setting is one file of a group and what goes into it.
type setting struct {
	file, value string
	optional    bool   // the kernel may not have it
	effective   string // the file that tells what came of it; file itself unless said
}

// weightPerCPU is what a group with a quota counts for on each CPU of the machine,
// in processes outside. A group that is left alone counts for one process in all,
// however many it has: on 2 busy CPUs each of eight processes in such a group got
// less than half of what one outside got, and a quota was never reached. With this
// they got the same. Far more would keep the load generator and the emulator waiting.
const weightPerCPU = 2

// target is the group that settings are for.
type target struct {
	version     int
	machineCPUs int
	cpus, nodes string // lists as the kernel writes them; no nodes for those of the parent
}

// settingsOf are what a controller's limit is set by, in the order in which the
// kernel takes them.
func settingsOf(t target, controller string, l experiment.Limits) []setting {
	if controller == memoryController && l.Memory == 0 {
		return nil // it is only counted
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

// set sets it in the group dir, and makes sure of what came of it.
func (s setting) set(dir string) error {
	err := writeWord(dir, s.file, s.value)
	if s.optional && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return hint.Errorf("check the limits of the parent groups",
			"cannot set %s to %s: %w", s.file, s.value, err)
	}
	told := s.effective
	if told == "" {
		told = s.file
	}
	got, err := readWord(dir, told)
	if err != nil {
		return err
	}
	if got != s.value {
		return hint.Errorf("check the limits of the parent groups",
			"%s is %s after it was set to %s", told, got, s.value)
	}
	return nil
}

// memoryNodes are those that a group of version 1 may use, which a group below has
// to be told.
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

// readWord is the text of a file of a control group, without white space around it.
func readWord(dir, name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, name))
	return strings.TrimSpace(string(text)), err
}

// writeWord sets a file of a control group, which must be there: the kernel makes
// them, so os.WriteFile would tell of a missing one that it may not be made.
func writeWord(dir, name, value string) error {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(value)
	return err
}
