package host

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"strings"

	"plinth/internal/host/cgroup"
	"plinth/internal/host/proc"
	"plinth/internal/host/sysfs"
)

// addCgroup adds the tightest limits set by the control groups of this process and their
// ancestors. A container sees no ancestors of its own group.
func (i *Inventory) addCgroup(root fs.FS) {
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		i.gap("cgroup", err)
		return
	}
	if i.Cgroup.Version = cgroupVersion(string(text)); i.Cgroup.Version == 0 {
		return
	}
	if _, err := fs.Stat(root, "sys/fs/cgroup"); err != nil {
		i.gap("cgroup", err)
		return
	}
	i.Cgroup.read(root, string(text))
}

// GroupLimits returns the tightest limits set by the control groups of a process and their ancestors; those
// of a container are where process 1 has them mounted, if they are not visible here. It returns none if
// they are not visible at all.
func GroupLimits(pid int) CgroupLimits { return groupLimits("/", pid) }

func groupLimits(root string, pid int) CgroupLimits {
	text, _ := os.ReadFile(fmt.Sprintf("%s/proc/%d/cgroup", root, pid)) // unreadable: no groups
	for _, from := range []string{root, root + "/proc/1/root"} {
		files, limits := os.DirFS(from), CgroupLimits{Version: cgroupVersion(string(text))}
		if groupsVisible(files, string(text)) {
			limits.read(files, string(text))
			return limits
		}
	}
	return CgroupLimits{}
}

// groupsVisible reports whether the groups of a process with this /proc/PID/cgroup exist, or those of the
// controllers that they do not share with all processes.
func groupsVisible(root fs.FS, text string) bool {
	for _, controller := range []string{"memory", "cpu"} {
		dirs := cgroup.Of(root, text, controller).Dirs
		if len(dirs) > 0 && exists(root, dirs[0]) {
			return true
		}
	}
	return false
}

// cgroupVersion returns 1 if any controller is in a version 1 hierarchy, as on a hybrid
// machine; named hierarchies such as name=systemd have no controller.
func cgroupVersion(cgroup string) (version int) {
	for _, line := range proc.Cgroups(cgroup) {
		switch {
		case line.Controllers == "":
			version = max(version, 2)
		case !strings.HasPrefix(line.Controllers, "name="):
			return 1
		}
	}
	return version
}

func (l *CgroupLimits) read(root fs.FS, text string) {
	if cpus := cgroup.LeastQuota(root, cgroup.OfCPU(root, text)); !math.IsInf(cpus, 1) {
		l.CPUs = cpus
	}
	if bytes := cgroup.LeastMemory(root, cgroup.MemoryDirs(text)); 0 < bytes && bytes < cgroup.NoMemoryLimit {
		l.Memory = bytes
	}
	if memory := cgroup.Of(root, text, "memory"); memory.Version == 2 {
		l.High = cgroup.LeastNumber(root, memory, "memory.high")
	}
	l.Processes = cgroup.LeastNumber(root, cgroup.Of(root, text, "pids"), "pids.max")
	set := cgroup.Of(root, text, "cpuset")
	cpus, nodes := "cpuset.cpus.effective", "cpuset.mems.effective"
	if set.Version == 1 {
		cpus, nodes = "cpuset.effective_cpus", "cpuset.effective_mems"
	}
	l.CPUSet = subset(root, set, cpus, sysfs.CPUs+"/online")
	l.MemSet = subset(root, set, nodes, nodeDir+"/has_memory")
	l.IOLimits = ioLimits(root, cgroup.Of(root, text, "blkio"), cgroup.Of(root, text, "io"))
}

// subset returns the list in the nearest group that has one, or "" if it includes everything.
func subset(root fs.FS, group cgroup.Group, file, all string) string {
	for _, dir := range group.Dirs {
		if some := sysfs.Word(root, dir+"/"+file); some != "" {
			if some == sysfs.Word(root, all) {
				return ""
			}
			return some
		}
	}
	return ""
}

// throttles lists the I/O limits of version 1
// (Documentation/admin-guide/cgroup-v1/blkio-controller.rst).
var throttles = []string{"read_bps", "write_bps", "read_iops", "write_iops"}

// ioLimits returns the limits of all groups as the kernel prints them, joined by "; ". Those
// of version 1 are preceded by the name of their file.
func ioLimits(root fs.FS, v1, v2 cgroup.Group) string {
	var all []string
	add := func(prefix, file string) {
		for line := range strings.Lines(sysfs.Word(root, file)) {
			all = append(all, prefix+strings.TrimSpace(line))
		}
	}
	if v1.Version == 1 {
		for _, dir := range v1.Dirs {
			for _, name := range throttles {
				add(name+" ", dir+"/blkio.throttle."+name+"_device")
			}
		}
		return strings.Join(all, "; ")
	}
	for _, dir := range v2.Dirs {
		add("", dir+"/io.max")
	}
	return strings.Join(all, "; ")
}
