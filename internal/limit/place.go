package limit

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plinth/internal/host"
	"plinth/internal/host/proc"
)

// machine is what limits are parts of.
type machine struct {
	places map[string]place // by controller
	cores  []host.Core
	memory int64 // bytes
}

// look reads this machine; its control groups are those below root.
func look(root string) (machine, error) {
	found, err := places(root)
	if err != nil {
		return machine{}, fmt.Errorf("cannot find the control groups: %w", err)
	}
	cores, err := host.Cores()
	if err != nil {
		return machine{}, err
	}
	facts, err := host.ReadFacts()
	if err != nil {
		return machine{}, err
	}
	return machine{found, cores, facts.Memory}, nil
}

// rest are the CPUs that are left when these are taken.
func (m machine) rest(cpus []int) []int {
	return slices.DeleteFunc(allOf(m.cores), func(cpu int) bool { return slices.Contains(cpus, cpu) })
}

// place is where plinth stands in one hierarchy of control groups.
type place struct {
	version int    // 1 or 2
	top     string // where the hierarchy is mounted
	own     string // the directory of plinth's own group: top, or below it
}

// The controllers that limits need.
const (
	cpusetController = "cpuset"
	cpuController    = "cpu"
	memoryController = "memory"
)

// places finds, for each controller that is there, the hierarchy that it is in:
// one of version 1 where it has one, as on hybrid machines, else that of version 2.
// The files are below root, which is / but for tests.
func places(root string) (map[string]place, error) {
	mounts, err := os.ReadFile(filepath.Join(root, "proc/self/mountinfo"))
	if err != nil {
		return nil, err
	}
	groups, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return nil, err
	}
	own := parseGroups(string(groups))
	found := map[string]place{}
	hierarchies := parseMounts(string(mounts))
	slices.SortStableFunc(hierarchies, func(a, b hierarchy) int { return a.version - b.version })
	for _, h := range hierarchies {
		for _, controller := range h.controllers(root) {
			if _, taken := found[controller]; !taken && controller != "" {
				found[controller] = h.place(root, own[h.line(controller)])
			}
		}
	}
	return found, nil
}

// controllers are those that a hierarchy has. That of version 2 has all that no
// hierarchy of version 1 took.
func (h hierarchy) controllers(root string) []string {
	if h.version == 1 {
		return h.options
	}
	text, _ := os.ReadFile(filepath.Join(root, h.mountPoint, "cgroup.controllers"))
	return strings.Fields(string(text))
}

// line is how /proc/self/cgroup names the hierarchy of a controller.
func (h hierarchy) line(controller string) string {
	if h.version == 1 {
		return controller
	}
	return ""
}

// place is where the group is that /proc/self/cgroup calls by this path. In a
// container that path may be the machine's, of which only a part is mounted here,
// or none: then what is mounted is the container's own group.
func (h hierarchy) place(root, group string) place {
	top := filepath.Join(root, h.mountPoint)
	p := place{version: h.version, top: top, own: top}
	below, err := filepath.Rel(h.root, group)
	if err != nil || below == ".." || strings.HasPrefix(below, "../") {
		return p
	}
	if info, err := os.Stat(filepath.Join(top, below)); err == nil && info.IsDir() {
		p.own = filepath.Join(top, below)
	}
	return p
}

// upwards are plinth's own group and all above it that can be seen from here; none
// of a hierarchy that is not there.
func (p place) upwards() []string {
	var dirs []string
	for dir := p.own; len(dir) > len(p.top) && p.top != ""; dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
	}
	if p.top != "" {
		dirs = append(dirs, p.top)
	}
	return dirs
}

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
