package kernel

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// groupTree is where plinth stands in the control groups: in one tree of version 2,
// in one of each controller of version 1, or in both where a machine is hybrid
// (cgroups(7), Documentation/admin-guide/cgroup-v2.rst).
type groupTree struct {
	root string
	text string // of /proc/self/cgroup
}

func readGroupTree(root string) (groupTree, error) {
	text, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	return groupTree{root, string(text)}, err
}

// dirs are the group's directory of a controller and those of all above it, below
// the root, and whether they are in a tree of version 1. In a container the path
// may be that of the host, which is not there; the top is then the container's own
// group, so who takes the first that has a file takes the nearest.
func (t groupTree) dirs(controller string) (dirs []string, first bool) {
	for line := range strings.Lines(t.text) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) == 3 && slices.Contains(strings.Split(fields[1], ","), controller) {
			return upwards(t.top(controller, fields[1]), fields[2]), true
		}
	}
	return t.unified(), false
}

// unified are those in the tree of version 2; none where there is no such tree.
func (t groupTree) unified() []string {
	for line := range strings.Lines(t.text) {
		if group, found := strings.CutPrefix(strings.TrimSpace(line), "0::"); found {
			return upwards(t.top("unified"), group)
		}
	}
	return nil
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
	err = fmt.Errorf("no control group of plinth has %s", name)
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

// readNumber is the number that a file consists of; false for "max" and the like.
func (f *file) readNumber() (n uint64, ok bool, err error) {
	text, err := f.readShort()
	if err != nil {
		return 0, false, err
	}
	line, _ := cutLine(text)
	n, ok = number(line)
	return n, ok, nil
}
