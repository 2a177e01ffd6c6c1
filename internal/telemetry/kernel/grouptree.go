package kernel

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"plinth/internal/host/proc"
)

// groupTree is where plinth and the server stand in the control groups: in one tree
// of version 2, in one of each controller of version 1, or in both where a machine
// is hybrid (cgroups(7), Documentation/admin-guide/cgroup-v2.rst).
type groupTree struct {
	root    string
	own     string            // text of /proc/self/cgroup
	server  string            // of the server's; "" while that is not known
	mounted map[string]string // as mountedGroups
}

func readGroupTree(root string) (groupTree, error) {
	text, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	mounts, _ := os.ReadFile(filepath.Join(root, "proc/self/mountinfo")) // none: whole trees are mounted
	return groupTree{root: root, own: string(text), mounted: mountedGroups(string(mounts))}, err
}

// dirs are the group's directory of a controller and those of all above it, below
// the root, and whether they are in a tree of version 1. In a container the path of
// plinth's own may be that of the host, which is not there; the top is then the
// container's own group, so who takes the first that has a file takes the nearest.
func (t groupTree) dirs(controller string) (dirs []string, first bool) {
	if line, found := lineOf(t.own, controller); found {
		top := t.top(controller, line.Controllers)
		return upwards(top, t.group(top, controller, line.Path)), true
	}
	return t.unified(), false
}

// unified are those in the tree of version 2; none where there is no such tree.
func (t groupTree) unified() []string {
	line, found := lineOf(t.own, "")
	if !found {
		return nil
	}
	top := t.top("unified")
	return upwards(top, t.group(top, "", line.Path))
}

// group is that of the server, below the top; plinth's own where the server has none
// of its own, or where it is out of sight: in another container. The topmost is
// nobody's own.
func (t groupTree) group(top, controller, own string) string {
	line, _ := lineOf(t.server, controller)
	if at, seen := t.below(controller, line.Path); seen && at != "/" {
		if _, err := os.Stat(filepath.Join(t.root, top, at)); err == nil {
			return at
		}
	}
	if at, seen := t.below(controller, own); seen {
		return at
	}
	return own
}

// below is where a group is in what is mounted of its tree; false for one outside.
func (t groupTree) below(controller, group string) (at string, seen bool) {
	at, seen = strings.CutPrefix(group+"/", strings.TrimSuffix(t.mounted[controller], "/")+"/")
	if !seen || strings.HasPrefix(at, "../") { // as the kernel calls groups of other containers
		return "", false
	}
	return path.Clean("/" + at), true
}

// top is where a tree is mounted: by the controller's name, by those of all that
// share it, or, of version 2 alone, at the place of all.
func (t groupTree) top(names ...string) string {
	const place = "sys/fs/cgroup"
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(t.root, place, name)); err == nil {
			return path.Join(place, name)
		}
	}
	return place
}

func upwards(top, group string) (dirs []string) {
	for at := path.Clean("/" + group); ; at = path.Dir(at) {
		dirs = append(dirs, path.Join(top, at))
		if at == "/" {
			return dirs
		}
	}
}

// files are those of that name that can be read, the nearest first.
func (t groupTree) files(dirs []string, name string) (found []*file, err error) {
	err = fmt.Errorf("no control group of the server or of plinth has %s", name)
	for _, dir := range dirs {
		f := newFile(t.root, path.Join(dir, name))
		if _, failed := f.read(); failed == nil {
			found = append(found, &f)
		}
	}
	if len(found) > 0 {
		err = nil
	}
	return found, err
}

// nearest is the first of them.
func (t groupTree) nearest(dirs []string, name string) (*file, error) {
	found, err := t.files(dirs, name)
	if err != nil {
		return nil, err
	}
	closeAll(found[1:])
	return found[0], nil
}

func closeAll(files []*file) {
	for _, f := range files {
		f.close()
	}
}

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
