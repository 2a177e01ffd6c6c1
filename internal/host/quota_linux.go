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

// addQuotas adds the tightest limits of CPU time and memory set by this process's control
// groups and their ancestors.
func (c Conditions) addQuotas(root fs.FS) {
	text := sysfs.Word(root, "proc/self/cgroup")
	if text == "" {
		return
	}
	c["CPU quota"], c["memory limit"] = "none", "none"
	if cpus := cgroup.LeastQuota(root, cgroup.OfCPU(root, text)); !math.IsInf(cpus, 1) {
		c["CPU quota"] = strconv.FormatFloat(cpus, 'g', 6, 64) + " CPUs"
	}
	if bytes := cgroup.LeastMemory(root, cgroup.MemoryDirs(text)); bytes != cgroup.NoMemoryLimit {
		c["memory limit"] = strconv.FormatInt(bytes, 10) + " bytes" // exact, so that rounding hides no change
	}
}

// addOwnLimits adds this process's limits of open files and processes, and its CPU affinity
// (getrlimit(2), sched_getaffinity(2)).
func (c Conditions) addOwnLimits() error {
	for name, which := range map[string]int{"open files": unix.RLIMIT_NOFILE, "processes": unix.RLIMIT_NPROC} {
		var limit unix.Rlimit
		if err := unix.Getrlimit(which, &limit); err != nil {
			return fmt.Errorf("getrlimit: %w", err)
		}
		c["limit of "+name] = limitText(limit.Cur) + ", at most " + limitText(limit.Max)
	}
	var allowed unix.CPUSet
	// Not 0, which is whichever thread this is: taskset changes affinity by process id.
	if err := unix.SchedGetaffinity(os.Getpid(), &allowed); err != nil {
		return fmt.Errorf("sched_getaffinity: %w", err)
	}
	var cpus []int
	for cpu := range len(allowed) * strconv.IntSize {
		if allowed.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	c["CPU affinity"] = Ranges(cpus)
	return nil
}

func limitText(limit uint64) string {
	if limit == unix.RLIM_INFINITY {
		return "unlimited"
	}
	return strconv.FormatUint(limit, 10)
}
