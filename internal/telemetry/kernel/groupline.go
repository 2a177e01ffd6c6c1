package kernel

import (
	"slices"
	"strings"
)

// groupLine is one line of a /proc/PID/cgroup (cgroups(7)):
//
//	2:cpu,cpuacct:/system.slice
type groupLine struct {
	controllers string // "" for version 2
	group       string
}

// lineOf is the line of a controller of version 1; that of version 2 for "".
func lineOf(text, controller string) (groupLine, bool) {
	for line := range strings.Lines(text) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(fields) == 3 && slices.Contains(strings.Split(fields[1], ","), controller) {
			return groupLine{fields[1], fields[2]}, true
		}
	}
	return groupLine{}, false
}

// mountedGroups are the groups that are mounted at the tops of the trees, by
// controller, "" for version 2, from a /proc/PID/mountinfo (proc_pid_mountinfo(5)).
// In a container of version 1 that may be its own group, while /proc/PID/cgroup goes
// on to tell paths of the machine's:
//
//	34 31 0:31 /docker/4f5a /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
func mountedGroups(mountinfo string) map[string]string {
	mounted := map[string]string{}
	for line := range strings.Lines(mountinfo) {
		before, after, _ := strings.Cut(line, " - ")
		mount, kind := strings.Fields(before), strings.Fields(after)
		if len(mount) < 5 || len(kind) < 3 {
			continue
		}
		var controllers []string
		switch kind[0] {
		case "cgroup":
			controllers = strings.Split(kind[2], ",") // beside options, which nobody asks for
		case "cgroup2":
			controllers = []string{""}
		}
		for _, controller := range controllers {
			if _, there := mounted[controller]; !there {
				mounted[controller] = escaped.Replace(mount[3])
			}
		}
	}
	return mounted
}

// escaped undoes what the kernel writes for characters that would end a field
// (mangle_path in fs/seq_file.c).
var escaped = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
