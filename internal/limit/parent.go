package limit

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"plinth/internal/hint"
)

// parent is a group below which one is made.
type parent struct {
	version     int
	dir         string
	controllers []string
	enable      []enabling // version 2: what must be enabled for it first, from the top down
}

// parents are the directories in which a group for these controllers can be made,
// each with those of them that it is for.
func (m machine) parents(controllers []string) ([]parent, error) {
	var all []parent
	var unified []string
	for _, controller := range controllers {
		p := m.places[controller]
		if p.version == 2 {
			unified = append(unified, controller)
			continue
		}
		at := slices.IndexFunc(all, func(other parent) bool { return other.dir == p.own })
		if at < 0 {
			all = append(all, parent{version: 1, dir: p.own})
			at = len(all) - 1
		}
		all[at].controllers = append(all[at].controllers, controller)
	}
	if len(unified) > 0 {
		found, err := m.places[unified[0]].unifiedParent(unified)
		if err != nil {
			return nil, err
		}
		all = append(all, found)
	}
	for _, p := range all {
		if err := writable(p.dir); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// asRoot is what lets plinth make control groups.
const asRoot = "start plinth as root, or in its own scope: systemd-run --user --scope -p Delegate=yes plinth …"

func writable(dir string) error {
	for _, name := range []string{dir, filepath.Join(dir, "cgroup.procs")} {
		if err := unix.Access(name, unix.W_OK); err != nil {
			return hint.Errorf(asRoot, "plinth is not allowed to create control groups in %s: %w", strings.TrimSuffix(name, "/cgroup.procs"), err)
		}
	}
	return nil
}

// enabling is controllers that a group of version 2 has to give to those below it.
type enabling struct {
	Path        string   `json:"path"`
	Controllers []string `json:"controllers"`
}

// unifiedParent is the group nearest above plinth's own in which a group with these
// controllers can be made. Not plinth's own, unless it is the topmost of all: a group
// that has processes can't give controllers to groups below it (Documentation/
// admin-guide/cgroup-v2.rst, "No Internal Process Constraint"). Moving the processes
// of such a group away was rejected: most of them are not plinth's.
func (p place) unifiedParent(controllers []string) (parent, error) {
	var first error
	dirs := p.upwards()
	for i, dir := range dirs {
		toEnable, err := missing(dirs[i:], controllers)
		if err == nil {
			return parent{2, dir, controllers, toEnable}, nil
		}
		if dir != p.own || dir == p.top { // that plinth is in its own says nothing to anybody
			first = cmp.Or(first, err)
		}
	}
	return parent{}, first
}

// missing is what must be enabled so that groups below the first of these directories
// have the controllers, from the top down. The others are those above it.
func missing(dirs, controllers []string) ([]enabling, error) {
	// Below a threaded group none may have resources of its own.
	if kind, err := readWord(dirs[0], "cgroup.type"); err == nil && kind != "domain" {
		return nil, hint.Errorf(asRoot, "the control group %s is %s", dirs[0], kind)
	}
	var all []enabling
	for _, at := range slices.Backward(dirs) {
		toEnable := lacking(at, "cgroup.subtree_control", controllers)
		if len(toEnable) == 0 {
			continue
		}
		if err := givesControllers(at); err != nil {
			return nil, err
		}
		all = append(all, enabling{at, toEnable})
	}
	return all, nil
}

// givesControllers says whether plinth can make dir give controllers to groups
// below it.
func givesControllers(dir string) error {
	if err := unix.Access(filepath.Join(dir, "cgroup.subtree_control"), unix.W_OK); err != nil {
		return hint.Errorf(asRoot, "plinth is not allowed to enable controllers in %s: %w", dir, err)
	}
	// The topmost group of the machine alone may have processes and groups with resources:
	// it has no type. That of a container has one.
	if _, err := os.Stat(filepath.Join(dir, "cgroup.type")); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	pids, err := readWord(dir, "cgroup.procs")
	if err != nil {
		return err
	}
	if pids != "" {
		return hint.Errorf("run plinth outside the container, or start its first process in a group below",
			"the control group %s has processes, so groups below it cannot have controllers", dir)
	}
	return nil
}

// lacking are the controllers that a file of dir does not name.
func lacking(dir, file string, controllers []string) (missing []string) {
	text, _ := readWord(dir, file)
	there := strings.Fields(text)
	for _, controller := range controllers {
		if !slices.Contains(there, controller) {
			missing = append(missing, controller)
		}
	}
	return missing
}

// write enables the controllers ("+") or takes them back ("-").
func (e enabling) write(sign string) error {
	return writeWord(e.Path, "cgroup.subtree_control", sign+strings.Join(e.Controllers, " "+sign))
}
