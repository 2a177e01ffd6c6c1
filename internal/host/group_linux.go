package host

import (
	"io/fs"
	"path"

	"plinth/internal/host/proc"
)

// controlGroup is the place of a process in the control groups that share out
// something: version 1 and 2 differ in the names and units of the files
// (cgroups(7), Documentation/admin-guide/cgroup-v2.rst).
type controlGroup struct {
	version int
	dirs    []string // its own group first, then all above it
}

// cpuGroupOf is the place in the groups that share out CPU time.
func cpuGroupOf(root fs.FS, cgroup string) controlGroup { return groupOf(root, cgroup, "cpu") }

// groupOf reads where a process with this /proc/PID/cgroup stands. On a hybrid
// machine the controller is in one of the two trees: in the one of version 1
// where that has a line of its own.
func groupOf(root fs.FS, cgroup, controller string) controlGroup {
	var group controlGroup
	for _, line := range proc.Cgroups(cgroup) {
		switch {
		case line.Has(controller):
			return controlGroup{1, groupsUpwards("sys/fs/cgroup/"+controller, line.Path)}
		case line.Controllers == "":
			group = controlGroup{2, groupsUpwards(unifiedTop(root), line.Path)}
		}
	}
	return group
}

// unifiedTop is where version 2 is mounted: a hybrid machine has it in a place
// of its own.
func unifiedTop(root fs.FS) string {
	const hybrid = "sys/fs/cgroup/unified"
	if _, err := fs.Stat(root, hybrid); err == nil {
		return hybrid
	}
	return "sys/fs/cgroup"
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
