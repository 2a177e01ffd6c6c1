package host

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// addQuotas adds the tightest limits of CPU time and memory that this process's
// control group and those above it set.
func (c Conditions) addQuotas(root fs.FS) {
	cgroup := readWord(root, "proc/self/cgroup")
	if cgroup == "" {
		return
	}
	c["CPU quota"] = cpuQuota(root, cpuGroupOf(root, cgroup))
	c["memory limit"] = memoryLimit(root, memoryGroups(cgroup))
}

// cpuQuota is "none" or, for example, "1.5 CPUs".
func cpuQuota(root fs.FS, group controlGroup) string {
	cpus := leastQuota(root, group)
	if math.IsInf(cpus, 1) {
		return "none"
	}
	return strconv.FormatFloat(cpus, 'g', 6, 64) + " CPUs"
}

// leastQuota is in CPUs; infinite for none.
func leastQuota(root fs.FS, group controlGroup) float64 {
	least := math.Inf(1)
	for _, dir := range group.dirs {
		text := readWord(root, dir+"/cpu.max")
		if group.version == 1 {
			text = readWord(root, dir+"/cpu.cfs_quota_us") + " " + readWord(root, dir+"/cpu.cfs_period_us")
		}
		if cpus, limited := parseCPUMax(text); limited {
			least = min(least, cpus)
		}
	}
	return least
}

// parseCPUMax reads "QUOTA PERIOD", both in microseconds; a quota of "max" or -1
// is none (cpu.max in Documentation/admin-guide/cgroup-v2.rst;
// Documentation/scheduler/sched-bwc.rst).
func parseCPUMax(text string) (cpus float64, limited bool) {
	quotaText, periodText, _ := strings.Cut(strings.TrimSpace(text), " ")
	quota, err := strconv.ParseInt(quotaText, 10, 64)
	if err != nil || quota <= 0 {
		return 0, false
	}
	period, err := strconv.ParseInt(periodText, 10, 64)
	if err != nil || period <= 0 {
		return 0, false
	}
	return float64(quota) / float64(period), true
}

// memoryLimit is "none" or, for example, "2147483648 bytes": exact, so that no
// change is rounded away.
func memoryLimit(root fs.FS, groups []groupDir) string {
	least := leastMemory(root, groups)
	if least == noMemoryLimit {
		return "none"
	}
	return strconv.FormatInt(least, 10) + " bytes"
}

// noMemoryLimit is how version 1 says that there is none: it has no word for it,
// but the greatest number of whole pages.
const noMemoryLimit = math.MaxInt64 &^ 0xffff

// leastMemory is in bytes; noMemoryLimit for none.
func leastMemory(root fs.FS, groups []groupDir) int64 {
	least := int64(noMemoryLimit)
	for _, group := range groups {
		if limit, limited := readNumber(root, path.Join(group.dir, group.limit)); limited {
			least = min(least, limit)
		}
	}
	return least
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
