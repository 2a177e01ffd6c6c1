package limit

import (
	"strconv"
	"strings"
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
	for line := range strings.Lines(mountinfo) {
		before, after, _ := strings.Cut(line, " - ")
		mount, kind := strings.Fields(before), strings.Fields(after)
		if len(mount) < 5 || len(kind) < 3 {
			continue
		}
		h := hierarchy{root: unescape(mount[3]), mountPoint: unescape(mount[4])}
		switch kind[0] {
		case "cgroup":
			h.version, h.options = 1, strings.Split(kind[2], ",")
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
	for line := range strings.Lines(cgroup) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(fields) < 3 {
			continue
		}
		for controller := range strings.SplitSeq(fields[1], ",") {
			groups[controller] = fields[2]
		}
	}
	return groups
}

// unescape undoes the kernel's \040 for characters that would end a field.
func unescape(field string) string {
	var plain strings.Builder
	for i := 0; i < len(field); i++ {
		if field[i] == '\\' && i+3 < len(field) {
			if n, err := strconv.ParseUint(field[i+1:i+4], 8, 8); err == nil {
				plain.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		plain.WriteByte(field[i])
	}
	return plain.String()
}
