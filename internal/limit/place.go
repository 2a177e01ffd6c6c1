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

// machine holds the resources that limits divide.
type machine struct {
	places map[string]place // by controller
	cores  []host.Core
	memory int64 // bytes
}

// look reads this machine. Its control groups are below root.
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

// rest returns the CPUs without the given ones.
func (m machine) rest(cpus []int) []int {
	return slices.DeleteFunc(allOf(m.cores), func(cpu int) bool { return slices.Contains(cpus, cpu) })
}

// place is plinth's position in one hierarchy of control groups.
type place struct {
	version int    // 1 or 2
	top     string // the mount point of the hierarchy
	own     string // the directory of plinth's own group: top, or below it
}

// The controllers that limits need.
const (
	cpusetController = "cpuset"
	cpuController    = "cpu"
	memoryController = "memory"

	accountController = "cpuacct" // version 1 only: in version 2, every group counts its CPU time
)

// places returns the place of each available controller: in a hierarchy of version 1 if it
// has one, as on hybrid machines, else in that of version 2. The files are below root, which
// is / except in tests.
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

// controllers returns the controllers of a hierarchy. That of version 2 has all that no
// hierarchy of version 1 uses.
func (h hierarchy) controllers(root string) []string {
	if h.version == 1 {
		return h.options
	}
	text, _ := os.ReadFile(filepath.Join(root, h.mountPoint, "cgroup.controllers"))
	return strings.Fields(string(text))
}

// line returns the name of the controller's hierarchy in /proc/self/cgroup.
func (h hierarchy) line(controller string) string {
	if h.version == 1 {
		return controller
	}
	return ""
}

// place returns the place of the group with this path in /proc/self/cgroup. In a container
// the path may be that on the host, of which only a part or nothing is mounted: the mounted
// group is then the container's own.
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

// upwards returns plinth's own group and its visible ancestors; none if the hierarchy does
// not exist.
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

// hierarchy is a mounted hierarchy of control groups from /proc/self/mountinfo
// (proc_pid_mountinfo(5)).
type hierarchy struct {
	version    int
	root       string // the group that is mounted
	mountPoint string
	options    []string // of version 1: they include its controllers
}

// parseMounts returns the hierarchies in a /proc/PID/mountinfo:
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

// parseGroups returns the path of the group by controller, and by "" for version 2, from a
// /proc/PID/cgroup (cgroups(7)).
func parseGroups(cgroup string) map[string]string {
	groups := map[string]string{}
	for _, line := range proc.Cgroups(cgroup) {
		for controller := range strings.SplitSeq(line.Controllers, ",") {
			groups[controller] = line.Path
		}
	}
	return groups
}
