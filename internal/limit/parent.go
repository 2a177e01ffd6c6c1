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
	"plinth/internal/host"
)

// parent is a group below which a group is created.
type parent struct {
	version     int
	dir         string
	controllers []string
	enable      []enabling // version 2: the controllers to enable first, from the top down
}

// parents returns the directories in which groups for these controllers can be created,
// each with its controllers.
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

// asRoot is the hint for missing permission to create control groups.
const asRoot = "start plinth as root, or in its own scope: systemd-run --user --scope -p Delegate=yes plinth …"

func writable(dir string) error {
	for _, name := range []string{dir, filepath.Join(dir, "cgroup.procs")} {
		if err := unix.Access(name, unix.W_OK); err != nil {
			return hint.Errorf(asRoot, "plinth is not allowed to create control groups in %s: %w", strings.TrimSuffix(name, "/cgroup.procs"), err)
		}
	}
	return nil
}

// enabling lists the controllers that a group of version 2 has to enable for its children.
type enabling struct {
	Path        string   `json:"path"`
	Controllers []string `json:"controllers"`
	Boot        string   `json:"boot,omitempty"` // control groups do not survive the next one
}

// unifiedParent returns the nearest ancestor of plinth's own group in which a group with
// these controllers can be created. It is not plinth's own group, unless that is the
// topmost: a group with processes cannot enable controllers for its children
// (Documentation/admin-guide/cgroup-v2.rst, "No Internal Process Constraint"). Moving the
// processes of such a group away was rejected: most of them are not plinth's.
func (p place) unifiedParent(controllers []string) (parent, error) {
	var first error
	dirs := p.upwards()
	for i, dir := range dirs {
		toEnable, err := missing(dirs[i:], controllers)
		if err == nil {
			return parent{2, dir, controllers, toEnable}, nil
		}
		if dir != p.own || dir == p.top { // that plinth's own group has processes is no useful error
			first = cmp.Or(first, err)
		}
	}
	return parent{}, first
}

// missing returns what must be enabled, from the top down, so that children of the first of
// these directories have the controllers. The other directories are its ancestors.
func missing(dirs, controllers []string) ([]enabling, error) {
	// Groups below a threaded group cannot have their own resource limits.
	if kind, err := readWord(dirs[0], "cgroup.type"); err == nil && kind != "domain" {
		return nil, hint.Errorf(asRoot, "cgroup.type of %s is %q", dirs[0], kind)
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
		all = append(all, enabling{at, toEnable, host.BootID()})
	}
	return all, nil
}

// givesControllers returns an error unless plinth can enable controllers for children of dir.
func givesControllers(dir string) error {
	if err := unix.Access(filepath.Join(dir, "cgroup.subtree_control"), unix.W_OK); err != nil {
		return hint.Errorf(asRoot, "plinth is not allowed to enable controllers in %s: %w", dir, err)
	}
	// Only the machine's root group may have both processes and children with controllers.
	// It has no cgroup.type, unlike the top group of a container.
	if _, err := os.Stat(filepath.Join(dir, "cgroup.type")); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	pids, err := readWord(dir, "cgroup.procs")
	if err != nil {
		return err
	}
	if pids != "" {
		return hint.Errorf("run plinth outside the container, or start the container's first process in a child group",
			"the control group %s has processes, so its child groups cannot have controllers", dir)
	}
	return nil
}

// lacking returns the controllers that are not listed in a file of dir.
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

// write enables ("+") or disables ("-") the controllers.
func (e enabling) write(sign string) error {
	return writeWord(e.Path, "cgroup.subtree_control", sign+strings.Join(e.Controllers, " "+sign))
}
