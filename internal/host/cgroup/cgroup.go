// Package cgroup finds the control groups that a process stands in, and their tightest limits.
// Package limit makes groups for a server.
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

// MemoryDir is a control group's directory, and the names of its files, which
// differ between the two versions of control groups (cgroups(7)).
type MemoryDir struct {
	dir          string
	limit, usage string
}

// MemoryDirs are the directories that may limit the memory of a process with
// this /proc/self/cgroup: its own groups and all above. In a container the
// paths may be those of the host, which are not there; the top of the tree is
// then the container's own group.
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

// Room holds what a group may still take; false when it has no limit. The page
// cache counts as used there, but the kernel gives it back when it is needed.
// It is no less than 0.
func Room(root fs.FS, g MemoryDir) (room int64, limited bool) {
	limit, limited := sysfs.Number(root, path.Join(g.dir, g.limit))
	usage, known := sysfs.Number(root, path.Join(g.dir, g.usage))
	if !limited || !known {
		return 0, false // "max", or no such group or file
	}
	text, _ := fs.ReadFile(root, path.Join(g.dir, "memory.stat"))
	return max(0, limit-usage+pageCache(text)), true
}

// pageCache is the file pages on the kernel's lists; memory of tmpfs is not
// among them. Version 1 has the sums of a whole tree under names of their own.
func pageCache(memoryStat []byte) int64 {
	var n [4]proc.Value
	_ = filePages.Parse(memoryStat, n[:]) // none are none
	return int64(max(n[0].N+n[1].N, n[2].N+n[3].N))
}

var filePages = proc.NewKeyed("inactive_file", "active_file", "total_inactive_file", "total_active_file")

// Group is the place of a process in the control groups that share out
// something: version 1 and 2 differ in the names and units of the files
// (cgroups(7), Documentation/admin-guide/cgroup-v2.rst).
type Group struct {
	Version int
	Dirs    []string // its own group first, then all above it
}

// OfCPU is the place in the groups that share out CPU time.
func OfCPU(root fs.FS, cgroup string) Group { return Of(root, cgroup, "cpu") }

// Of reads where a process with this /proc/PID/cgroup stands. On a hybrid
// machine the controller is in one of the two trees: in the one of version 1
// where that has a line of its own.
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

// groupsUpwards are the directories of a group and of all above it. In a
// container the path may be that of the host, which is not there; the top is
// then the container's own group.
func groupsUpwards(top, group string) (dirs []string) {
	for at := path.Clean("/" + group); ; at = path.Dir(at) {
		dirs = append(dirs, path.Join(top, at))
		if at == "/" {
			return dirs
		}
	}
}

// LeastQuota is in CPUs; infinite for none.
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

// NoMemoryLimit is how version 1 says that there is none: it has no word for it,
// but the greatest number of whole pages.
const NoMemoryLimit = math.MaxInt64 &^ 0xffff

// LeastMemory is the tightest limit of memory in bytes; NoMemoryLimit for none.
func LeastMemory(root fs.FS, groups []MemoryDir) int64 {
	least := int64(NoMemoryLimit)
	for _, group := range groups {
		if limit, limited := sysfs.Number(root, path.Join(group.dir, group.limit)); limited {
			least = min(least, limit)
		}
	}
	return least
}

// LeastNumber is the least number of these files; 0 where none holds one ("max").
func LeastNumber(root fs.FS, group Group, file string) (least int64) {
	for _, dir := range group.Dirs {
		if n, limited := sysfs.Number(root, dir+"/"+file); limited && n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}
