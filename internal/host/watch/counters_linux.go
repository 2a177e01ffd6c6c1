package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"

	"plinth/internal/host/cgroup"
	"plinth/internal/host/proc"
	"plinth/internal/host/sysfs"
)

// cpuTimes holds seconds since boot, summed over all CPUs.
type cpuTimes struct {
	cpus                              int // online
	user, system, idle, iowait, steal float64
	stealDoubtful                     bool // a virtual machine whose steal has always been zero
}

var errNoSteal = errors.New("this virtual machine has counted no steal since boot: its hypervisor may not report it")

// readCPUTimes reads /proc/stat (proc_stat(5)).
func readCPUTimes(root string, virtual bool) (cpuTimes, error) {
	text, err := os.ReadFile(filepath.Join(root, "proc/stat"))
	if err != nil {
		return cpuTimes{}, err
	}
	var stat proc.Stat
	if stat.Parse(text) != nil || stat.Online() == 0 {
		return cpuTimes{}, errors.New("/proc/stat has no CPU line")
	}
	s := func(mode int) float64 { return float64(stat.Total.Modes[mode]) / proc.Ticks }
	return cpuTimes{
		cpus:          stat.Online(),
		user:          s(proc.ModeUser) + s(proc.ModeNice), // which hold guest and guest_nice already
		system:        s(proc.ModeSystem) + s(proc.ModeIRQ) + s(proc.ModeSoftIRQ),
		idle:          s(proc.ModeIdle),
		iowait:        s(proc.ModeIowait),
		steal:         s(proc.ModeSteal),
		stealDoubtful: virtual && stat.Total.Modes[proc.ModeSteal] == 0,
	}, nil
}

// swapped holds pages read from and written to swap since boot.
type swapped struct{ in, out int64 }

// readSwapped reads /proc/vmstat.
func readSwapped(root fs.FS) (swapped, error) {
	text, err := fs.ReadFile(root, "proc/vmstat")
	if err != nil {
		return swapped{}, err
	}
	return parseSwapped(text)
}

var swapping = proc.NewKeyed("pswpin", "pswpout")

// parseSwapped returns pswpin and pswpout, which a kernel without swap does not have.
func parseSwapped(text []byte) (swapped, error) {
	var n [2]proc.Value
	if err := swapping.Parse(text, n[:]); err != nil || !n[0].There || !n[1].There || max(n[0].N, n[1].N) > math.MaxInt64 {
		return swapped{}, errors.New("/proc/vmstat has no swap counters: the kernel has no swap support")
	}
	return swapped{int64(n[0].N), int64(n[1].N)}, nil
}

// readMemoryStall returns the seconds since boot in which at least one task waited for memory (/proc/pressure/memory, Documentation/accounting/psi.rst).
func readMemoryStall(root string) (float64, error) {
	text, err := os.ReadFile(filepath.Join(root, "proc/pressure/memory"))
	if err != nil {
		return 0, err
	}
	totals, err := proc.Pressure(text)
	if err != nil {
		return 0, errors.New("/proc/pressure/memory has no \"some\" line")
	}
	return float64(totals[0].N) / 1e6, nil // microseconds
}

var errNoThermal = errors.New("the kernel has no counters of thermal events (a virtual machine, or not an Intel CPU)")

// thermalFiles returns the counters of thermal throttling: one for each core and one for
// each package. Every CPU has files for its core and package, so adding up all of them would
// count an event several times.
func thermalFiles(root fs.FS) (files []string) {
	found, _ := fs.Glob(root, sysfs.CPUs+"/cpu[0-9]*/thermal_throttle/*_throttle_count")
	seen := map[string]bool{}
	for _, file := range found {
		topology := path.Join(path.Dir(file), "../topology")
		place := path.Base(file) + " of package " + sysfs.Word(root, topology+"/physical_package_id")
		if path.Base(file) == "core_throttle_count" {
			place += " core " + sysfs.Word(root, topology+"/core_id")
		}
		if !seen[place] {
			seen[place] = true
			files = append(files, file)
		}
	}
	return files
}

// readThermal returns the number of thermal events since boot.
func readThermal(root fs.FS, files []string) (sum int64, err error) {
	if len(files) == 0 {
		return 0, errNoThermal
	}
	for _, file := range files {
		n, err := sysfs.Count(root, file)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// throttleMeter reads how long CPU quotas throttled a process.
type throttleMeter struct {
	group cgroup.Group
	err   error
}

func newThrottleMeter(root fs.FS, pid int) throttleMeter {
	text, err := fs.ReadFile(root, fmt.Sprintf("proc/%d/cgroup", pid))
	if err != nil {
		return throttleMeter{err: err}
	}
	group := cgroup.OfCPU(root, string(text))
	if len(group.Dirs) == 0 {
		return throttleMeter{err: errors.New("the process is not in a CPU control group")}
	}
	return throttleMeter{group: group}
}

// read returns the sum in seconds over the group and its ancestors: each counts throttling
// by its own quota. Groups that are not visible from inside a container are left out, but at
// least one must be visible.
func (m throttleMeter) read(root fs.FS) (seconds float64, err error) {
	if m.err != nil {
		return 0, m.err
	}
	found := false
	for _, dir := range m.group.Dirs {
		text, failed := fs.ReadFile(root, dir+"/cpu.stat")
		if failed != nil {
			err = failed
			continue
		}
		found = true
		seconds += parseCPUStat(text, m.group.Version)
	}
	if found {
		return seconds, nil
	}
	return 0, err
}

// parseCPUStat returns the seconds for which a quota throttled a group, from its cpu.stat:
// throttled_usec of version 2, throttled_time in nanoseconds of version 1. The top group can
// have no quota and no such counter: for it the result is 0.
func parseCPUStat(text []byte, version int) float64 {
	var n [1]proc.Value
	keys, perSecond := throttled2, 1e6
	if version == 1 {
		keys, perSecond = throttled1, 1e9
	}
	_ = keys.Parse(text, n[:]) // a missing counter is 0
	return float64(n[0].N) / perSecond
}

var throttled1, throttled2 = proc.NewKeyed("throttled_time"), proc.NewKeyed("throttled_usec")
