package kernel

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/host/proc"
)

// groupTree holds the positions of plinth and the server in the control group hierarchies:
// one of version 2, one per controller of version 1, or both on a hybrid system
// (cgroups(7), Documentation/admin-guide/cgroup-v2.rst).
type groupTree struct {
	root    string
	view    string            // "", or the root directory of another process in whose mounts the groups are seen
	own     string            // text of /proc/self/cgroup
	server  string            // the same for the server; "" while unknown
	mounted map[string]string // from mountedGroups
}

func readGroupTree(root string) (groupTree, error) {
	text, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	return groupTree{root: root, own: string(text), mounted: readMounted(root, "self")}, err
}

func readMounted(root, process string) map[string]string {
	mounts, _ := os.ReadFile(filepath.Join(root, "proc", process, "mountinfo")) // unreadable: assume that whole hierarchies are mounted
	return mountedGroups(string(mounts))
}

// seeing returns the tree with the server's groups. A server in another container has groups that are not
// mounted in plinth's: they are then read where process 1 has them, which is the machine's own if the two
// share process IDs.
func (t groupTree) seeing(server string) groupTree {
	t = groupTree{root: t.root, own: t.own, server: server, mounted: readMounted(t.root, "self")}
	if t.sees() {
		return t
	}
	machine := t
	machine.view, machine.mounted = "proc/1/root", readMounted(t.root, "1")
	if machine.sees() {
		return machine
	}
	return t
}

// sees reports whether the server has a group of its own that exists in the view.
func (t groupTree) sees() bool {
	return slices.ContainsFunc(proc.Cgroups(t.server), func(line proc.Cgroup) bool {
		controller, _, _ := strings.Cut(line.Controllers, ",")
		top := t.top(controller, line.Controllers)
		if controller == "" {
			top = t.top("unified")
		}
		_, there := t.serversOwn(top, controller)
		return there
	})
}

// dirs returns the directories, below the root, of the group for a controller and of its
// ancestors, nearest first; first reports whether they are in a version 1 hierarchy. In a
// container, the path of plinth's own group may be that of the host, which does not exist
// there; the top is then the container's own group. So a caller that uses the first
// directory with a file has the nearest group.
func (t groupTree) dirs(controller string) (dirs []string, first bool) {
	if line, found := lineOf(t.own, controller); found {
		top := t.top(controller, line.Controllers)
		return upwards(top, t.group(top, controller, line.Path)), true
	}
	return t.unified(), false
}

// unified returns those in the version 2 hierarchy; none where that does not exist.
func (t groupTree) unified() []string {
	line, found := lineOf(t.own, "")
	if !found {
		return nil
	}
	top := t.top("unified")
	return upwards(top, t.group(top, "", line.Path))
}

// group returns the server's group, relative to the top. It falls back to plinth's own
// where the server has no separate group, or where its group is not visible: in another
// container. The root group belongs to no process alone.
func (t groupTree) group(top, controller, own string) string {
	if at, there := t.serversOwn(top, controller); there {
		return at
	}
	if at, seen := t.below(controller, own); seen {
		return at
	}
	return own
}

// serversOwn returns the server's group, relative to the top; false if it has none that is seen.
func (t groupTree) serversOwn(top, controller string) (at string, there bool) {
	line, _ := lineOf(t.server, controller)
	at, seen := t.below(controller, line.Path)
	if !seen || at == "/" {
		return "", false
	}
	_, err := os.Stat(filepath.Join(t.root, top, at))
	return at, err == nil
}

// below returns the path of a group within the mounted part of its hierarchy; seen is false
// for a group outside it.
func (t groupTree) below(controller, group string) (at string, seen bool) {
	at, seen = strings.CutPrefix(group+"/", strings.TrimSuffix(t.mounted[controller], "/")+"/")
	if !seen || strings.HasPrefix(at, "../") { // how the kernel shows groups of other containers
		return "", false
	}
	return path.Clean("/" + at), true
}

// top returns where a hierarchy is mounted: at a directory named after the controller or
// after all controllers that share it, or, with version 2 alone, at the common mount point.
func (t groupTree) top(names ...string) string {
	place := path.Join(t.view, "sys/fs/cgroup")
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

// files returns the readable files of that name, nearest first.
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

// holds returns a function that reports whether a process is in the group that has the file, or in a
// group within it.
func (t groupTree) holds(controller string, f *file) func(process int) bool {
	return func(process int) bool {
		text, err := os.ReadFile(filepath.Join(t.root, "proc", strconv.Itoa(process), "cgroup"))
		if err != nil {
			return false // it has exited
		}
		its := groupTree{root: t.root, view: t.view, own: string(text), mounted: t.mounted}
		dirs := its.unified()
		if controller != "" {
			dirs, _ = its.dirs(controller)
		}
		return slices.ContainsFunc(dirs, func(dir string) bool { return filepath.Join(t.root, dir) == filepath.Dir(f.path) })
	}
}

// nearest returns the first of these.
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

// lineOf returns the line of a version 1 controller in a /proc/PID/cgroup; with "", that of
// version 2.
func lineOf(text, controller string) (proc.Cgroup, bool) {
	for _, line := range proc.Cgroups(text) {
		if line.Has(controller) {
			return line, true
		}
	}
	return proc.Cgroup{}, false
}

// mountedGroups returns the group mounted at the top of each hierarchy, by controller, ""
// for version 2, from a /proc/PID/mountinfo (proc_pid_mountinfo(5)). In a version 1
// container that may be the container's own group, while /proc/PID/cgroup still shows host
// paths:
//
//	34 31 0:31 /docker/4f5a /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
func mountedGroups(mountinfo string) map[string]string {
	mounted := map[string]string{}
	for _, m := range proc.Mounts(mountinfo) {
		var controllers []string
		switch m.Type {
		case "cgroup":
			controllers = strings.Split(m.Super, ",") // includes mount options, which are never looked up
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
