package host

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"strconv"

	"plinth/internal/host/cgroup"
	"plinth/internal/host/sysfs"

	"golang.org/x/sys/unix"
)

// addQuotas adds the tightest limits of CPU time and memory that this process's
// control group and those above it set.
func (c Conditions) addQuotas(root fs.FS) {
	text := sysfs.Word(root, "proc/self/cgroup")
	if text == "" {
		return
	}
	c["CPU quota"] = cpuQuota(root, cgroup.OfCPU(root, text))
	c["memory limit"] = memoryLimit(root, cgroup.MemoryDirs(text))
}

// cpuQuota is "none" or, for example, "1.5 CPUs".
func cpuQuota(root fs.FS, group cgroup.Group) string {
	cpus := cgroup.LeastQuota(root, group)
	if math.IsInf(cpus, 1) {
		return "none"
	}
	return strconv.FormatFloat(cpus, 'g', 6, 64) + " CPUs"
}

// memoryLimit is "none" or, for example, "2147483648 bytes": exact, so that no
// change is rounded away.
func memoryLimit(root fs.FS, groups []cgroup.MemoryDir) string {
	least := cgroup.LeastMemory(root, groups)
	if least == cgroup.NoMemoryLimit {
		return "none"
	}
	return strconv.FormatInt(least, 10) + " bytes"
}

// addOwnLimits adds this process's limits of open files and processes, and the
// CPUs that it may run on (getrlimit(2), sched_getaffinity(2)).
func (c Conditions) addOwnLimits() error {
	for name, which := range map[string]int{"open files": unix.RLIMIT_NOFILE, "processes": unix.RLIMIT_NPROC} {
		var limit unix.Rlimit
		if err := unix.Getrlimit(which, &limit); err != nil {
			return fmt.Errorf("getrlimit: %w", err)
		}
		c["limit of "+name] = limitText(limit.Cur) + ", at most " + limitText(limit.Max)
	}
	var allowed unix.CPUSet
	// Not 0, which is any of Go's threads: who changes it does so by process id.
	if err := unix.SchedGetaffinity(os.Getpid(), &allowed); err != nil {
		return fmt.Errorf("sched_getaffinity: %w", err)
	}
	c["CPU affinity"] = affinityText(&allowed)
	return nil
}

func limitText(limit uint64) string {
	if limit == unix.RLIM_INFINITY {
		return "unlimited"
	}
	return strconv.FormatUint(limit, 10)
}

func affinityText(allowed *unix.CPUSet) string {
	var cpus []int
	for cpu := range len(allowed) * strconv.IntSize {
		if allowed.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return Ranges(cpus)
}
