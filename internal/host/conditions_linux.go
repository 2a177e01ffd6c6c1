package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/host/proc"
	"plinth/internal/host/sysfs"

	"golang.org/x/sys/unix"
)

// ReadConditions reads the settings of this machine and the limits of this process. The value
// of a file that exists but is unreadable says so.
func ReadConditions() (Conditions, error) {
	c, err := readConditions(os.DirFS("/"))
	if err == nil {
		err = c.addOwnLimits()
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the conditions of this machine: %w", err)
	}
	return c, nil
}

// readConditions reads the settings found in the file system below root.
func readConditions(root fs.FS) (Conditions, error) {
	if _, err := fs.Stat(root, "proc/stat"); err != nil {
		return nil, err // not a Linux machine, or no /proc
	}
	c := Conditions{}
	c.addFrequency(root)
	c.addSwap(root)
	c.addMemory(root)
	c.addDisks(root)
	c.addQuotas(root)
	return c, nil
}

// add adds a setting that is the content of a file.
func (c Conditions) add(root fs.FS, name, file string) {
	if value, there := setting(root, file); there {
		c[name] = value
	}
}

// setting returns the content of a one-line file with its white space folded; if the file
// lists choices ("always [madvise] never"), it returns the one in brackets.
func setting(root fs.FS, file string) (value string, there bool) {
	text, err := fs.ReadFile(root, file)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENODEV) || errors.Is(err, unix.ENOTDIR):
		return "", false
	case errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EOPNOTSUPP):
		return "", false // the file exists, its feature does not
	case err != nil:
		return "cannot be read", true
	}
	return chosen(strings.Join(strings.Fields(string(text)), " ")), true
}

// chosen returns the word in brackets, or choices if there is none.
func chosen(choices string) string {
	_, rest, found := strings.Cut(choices, "[")
	word, _, closed := strings.Cut(rest, "]")
	if found && closed {
		return word
	}
	return choices
}

// memorySettings lists the settings of the kernel's memory management
// (Documentation/admin-guide/sysctl/vm.rst, Documentation/admin-guide/mm/transhuge.rst).
var memorySettings = []struct{ name, file string }{
	{"transparent_hugepage", "sys/kernel/mm/transparent_hugepage/enabled"},
	{"transparent_hugepage defrag", "sys/kernel/mm/transparent_hugepage/defrag"},
	{"vm.swappiness", "proc/sys/vm/swappiness"},
	{"vm.overcommit_memory", "proc/sys/vm/overcommit_memory"},
	{"vm.nr_hugepages", "proc/sys/vm/nr_hugepages"},
	{"kernel.numa_balancing", "proc/sys/kernel/numa_balancing"},
}

func (c Conditions) addMemory(root fs.FS) {
	for _, s := range memorySettings {
		c.add(root, s.name, s.file)
	}
	dirty, _ := fs.Glob(root, "proc/sys/vm/dirty_*")
	for _, file := range dirty {
		c.add(root, "vm."+path.Base(file), file)
	}
}

// addDisks adds the queue settings of the disks (Documentation/block/queue-sysfs.rst). Disks
// have a device directory. Loop, RAM, device mapper and RAID devices have none: they are
// stacked on others, and come and go with their users.
func (c Conditions) addDisks(root fs.FS) {
	devices, _ := fs.Glob(root, "sys/block/*/device")
	for _, device := range devices {
		disk := path.Dir(device)
		for _, setting := range diskSettings {
			c.add(root, path.Base(disk)+" "+setting, disk+"/queue/"+setting)
		}
	}
}

// addFrequency adds the settings that determine how fast the CPUs run
// (Documentation/admin-guide/pm/cpufreq.rst, Documentation/ABI/testing/sysfs-devices-system-cpu).
func (c Conditions) addFrequency(root fs.FS) {
	c.addOfEachCPU(root, "governor", "cpufreq/scaling_governor")
	c.addOfEachCPU(root, "energy preference", "cpufreq/energy_performance_preference")
	c.add(root, "boost", sysfs.CPUs+"/cpufreq/boost")
	c.add(root, "no_turbo", sysfs.CPUs+"/intel_pstate/no_turbo")
	c.add(root, "SMT", sysfs.CPUs+"/smt/control")
}

// addOfEachCPU adds a per-CPU setting: its value if all CPUs agree, else
// "performance on 0-3; powersave on 4-7".
func (c Conditions) addOfEachCPU(root fs.FS, name, file string) {
	dirs, _ := fs.Glob(root, sysfs.CPUs+"/cpu[0-9]*")
	cpus := map[string][]int{}
	for _, dir := range dirs {
		value, there := setting(root, path.Join(dir, file))
		cpu, err := strconv.Atoi(strings.TrimPrefix(path.Base(dir), "cpu"))
		if there && err == nil {
			cpus[value] = append(cpus[value], cpu)
		}
	}
	var parts []string
	for value, list := range cpus {
		if len(cpus) == 1 {
			c[name] = value
			return
		}
		parts = append(parts, value+" on "+Ranges(list))
	}
	if len(parts) > 0 {
		slices.Sort(parts)
		c[name] = strings.Join(parts, "; ")
	}
}

// addSwap adds the active swap devices and files (/proc/swaps, proc_swaps(5)). A kernel
// without swap has no such file: swap is off.
func (c Conditions) addSwap(root fs.FS) {
	text, err := fs.ReadFile(root, "proc/swaps")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c["swap"] = "off"
	case err != nil:
		c["swap"] = "cannot be read"
	default:
		c["swap"] = parseSwaps(string(text))
	}
}

// parseSwaps returns the names, sorted, or "off". Order and usage are left out, because they
// change on their own.
func parseSwaps(text string) string {
	var names []string
	for _, area := range proc.Swaps(text) {
		names = append(names, area.Path)
	}
	if len(names) == 0 {
		return "off"
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
