package kernel

import (
	"strings"

	"plinth/internal/host/proc"
)

// lineOf is the line of a controller of version 1 in a /proc/PID/cgroup; that of version 2
// for "".
func lineOf(text, controller string) (proc.Cgroup, bool) {
	for _, line := range proc.Cgroups(text) {
		if line.Has(controller) {
			return line, true
		}
	}
	return proc.Cgroup{}, false
}

// mountedGroups are the groups that are mounted at the tops of the trees, by
// controller, "" for version 2, from a /proc/PID/mountinfo (proc_pid_mountinfo(5)).
// In a container of version 1 that may be its own group, while /proc/PID/cgroup goes
// on to tell paths of the machine's:
//
//	34 31 0:31 /docker/4f5a /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
func mountedGroups(mountinfo string) map[string]string {
	mounted := map[string]string{}
	for _, m := range proc.Mounts(mountinfo) {
		var controllers []string
		switch m.Type {
		case "cgroup":
			controllers = strings.Split(m.Super, ",") // beside options, which nobody asks for
		case "cgroup2":
			controllers = []string{""}
		}
		for _, controller := range controllers {
			if _, there := mounted[controller]; !there {
				mounted[controller] = m.Root
			}
		}
	}
	return mounted
}
