package limit

import (
	"strings"

	"plinth/internal/host/proc"
)

// hierarchy is a mounted hierarchy of control groups, as /proc/self/mountinfo tells
// (proc_pid_mountinfo(5)).
type hierarchy struct {
	version    int
	root       string   // the group that is mounted
	mountPoint string   // where
	options    []string // of version 1: its controllers are among them
}

// parseMounts finds the hierarchies in a /proc/PID/mountinfo:
//
//	34 31 0:31 / /sys/fs/cgroup/cpuset rw,relatime shared:9 - cgroup cgroup rw,cpuset
func parseMounts(mountinfo string) (found []hierarchy) {
	for _, m := range proc.Mounts(mountinfo) {
		h := hierarchy{root: m.Root, mountPoint: m.Point}
		switch m.Type {
		case "cgroup":
			h.version, h.options = 1, strings.Split(m.Super, ",")
		case "cgroup2":
			h.version = 2
		default:
			continue
		}
		found = append(found, h)
	}
	return found
}

// parseGroups is the path of the group in each hierarchy, by controller, and by ""
// for version 2, from a /proc/PID/cgroup (cgroups(7)).
func parseGroups(cgroup string) map[string]string {
	groups := map[string]string{}
	for _, line := range proc.Cgroups(cgroup) {
		for controller := range strings.SplitSeq(line.Controllers, ",") {
			groups[controller] = line.Path
		}
	}
	return groups
}
