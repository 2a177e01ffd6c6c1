// Package cgroup finds the control groups of a process and their tightest limits. Package limit
// creates groups for a server.
package cgroup

import (
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"

	"plinth/internal/host/proc"
	"plinth/internal/host/sysfs"
)

// MemoryDir is a control group's directory, and the names of its files, which differ between
// versions 1 and 2 (cgroups(7)).
type MemoryDir struct {
	dir          string
	limit, usage string
}

// MemoryDirs returns the directories that may limit the memory of a process with this
// /proc/self/cgroup: its own groups and their ancestors. In a container the paths may be those
// of the host, which do not exist there; the top of the tree is then the container's own.
func MemoryDirs(cgroup string) (dirs []MemoryDir) {
	for _, line := range proc.Cgroups(cgroup) {
		group := MemoryDir{"sys/fs/cgroup", "memory.max", "memory.current"}
		switch {
		case line.Has("memory"):
			group = MemoryDir{"sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"}
		case line.Controllers != "":
			continue
		}
		top := group.dir
		for at := path.Clean("/" + line.Path); ; at = path.Dir(at) {
			group.dir = path.Join(top, at)
			dirs = append(dirs, group)
			if at == "/" {
				break
			}
		}
	}
	return dirs
}

// Room returns how many more bytes a group may use, at least 0; false without a limit. A
// group's usage includes the page cache, but the kernel reclaims that on demand.
func Room(root fs.FS, g MemoryDir) (room int64, limited bool) {
	limit, limited := sysfs.Number(root, path.Join(g.dir, g.limit))
	usage, known := sysfs.Number(root, path.Join(g.dir, g.usage))
	// Version 1 writes the greatest number of whole pages for no limit. Adding the page cache to that
	// can overflow, because memory.stat lags behind the usage.
	if !limited || !known || limit >= 1<<53 {
		return 0, false // "max", or no such group or file
	}
	text, _ := fs.ReadFile(root, path.Join(g.dir, "memory.stat"))
	return max(0, limit-usage+pageCache(text)), true
}

// pageCache returns the bytes of file pages on the kernel's lists, which exclude tmpfs. Version
// 1 has the sums of a whole tree under other names.
func pageCache(memoryStat []byte) int64 {
	var n [4]proc.Value
	_ = filePages.Parse(memoryStat, n[:]) // missing is 0
	return int64(max(n[0].N+n[1].N, n[2].N+n[3].N))
}

var filePages = proc.NewKeyed("inactive_file", "active_file", "total_inactive_file", "total_active_file")

// Group holds a process's groups for one controller. Versions 1 and 2 differ in the names and
// units of the files (cgroups(7), Documentation/admin-guide/cgroup-v2.rst).
type Group struct {
	Version int
	Dirs    []string // its own group first, then its ancestors
}

// OfCPU returns the groups that limit CPU time.
func OfCPU(root fs.FS, cgroup string) Group { return Of(root, cgroup, "cpu") }

// Of returns the groups of a process with this /proc/PID/cgroup. On a hybrid machine the
// controller is in one of the two trees: in that of version 1 if it has a line there.
func Of(root fs.FS, cgroup, controller string) Group {
	var group Group
	for _, line := range proc.Cgroups(cgroup) {
		switch {
		case line.Has(controller):
			return Group{1, groupsUpwards("sys/fs/cgroup/"+controller, line.Path)}
		case line.Controllers == "":
			top := "sys/fs/cgroup/unified" // on a hybrid machine
			if _, err := fs.Stat(root, top); err != nil {
				top = "sys/fs/cgroup"
			}
			group = Group{2, groupsUpwards(top, line.Path)}
		}
	}
	return group
}

// groupsUpwards returns the directories of a group and its ancestors (MemoryDirs describes
// containers).
func groupsUpwards(top, group string) (dirs []string) {
	for at := path.Clean("/" + group); ; at = path.Dir(at) {
		dirs = append(dirs, path.Join(top, at))
		if at == "/" {
			return dirs
		}
	}
}

// LeastQuota is in CPUs; +Inf without a quota.
func LeastQuota(root fs.FS, group Group) float64 {
	least := math.Inf(1)
	for _, dir := range group.Dirs {
		text := sysfs.Word(root, dir+"/cpu.max")
		if group.Version == 1 {
			text = sysfs.Word(root, dir+"/cpu.cfs_quota_us") + " " + sysfs.Word(root, dir+"/cpu.cfs_period_us")
		}
		if cpus, limited := parseCPUMax(text); limited {
			least = min(least, cpus)
		}
	}
	return least
}

// parseCPUMax parses "QUOTA PERIOD", both in microseconds; a quota of "max" or -1 means none
// (cpu.max in Documentation/admin-guide/cgroup-v2.rst; Documentation/scheduler/sched-bwc.rst).
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

// NoMemoryLimit means no limit. Version 1 has no "max" for it, but reports the largest number
// of whole pages.
const NoMemoryLimit = math.MaxInt64 &^ 0xffff

// LeastMemory returns the tightest memory limit in bytes, or NoMemoryLimit.
func LeastMemory(root fs.FS, groups []MemoryDir) int64 {
	least := int64(NoMemoryLimit)
	for _, group := range groups {
		if limit, limited := sysfs.Number(root, path.Join(group.dir, group.limit)); limited {
			least = min(least, limit)
		}
	}
	return least
}

// LeastNumber returns the smallest positive number in these files, or 0 ("max").
func LeastNumber(root fs.FS, group Group, file string) (least int64) {
	for _, dir := range group.Dirs {
		if n, limited := sysfs.Number(root, dir+"/"+file); limited && n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}
