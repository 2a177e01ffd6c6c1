package limit

import (
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
const asRoot = "start plinth as root, or in a scope of its own: systemd-run --user --scope -p Delegate=yes plinth …"

func writable(dir string) error {
	for _, name := range []string{dir, filepath.Join(dir, "cgroup.procs")} {
		if err := unix.Access(name, unix.W_OK); err != nil {
			return hint.Errorf(asRoot, "plinth may not make control groups in %s: %w", strings.TrimSuffix(name, "/cgroup.procs"), err)
		}
	}
	return nil
}
