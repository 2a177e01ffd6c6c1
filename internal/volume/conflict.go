package volume

import (
	"fmt"
	"path/filepath"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/hint"
)

// claim is one disk that a volume of an experiment uses.
type claim struct {
	who  string // "the data of one"
	what string // the device or file, as it was given
}

// Conflicts is an error when two volumes of an experiment use one device, a disk and
// a partition of it, or one file: each of them is made anew, and the servers of all
// environments stay up side by side.
func Conflicts(environments []experiment.Environment) error {
	taken, queues := map[string]claim{}, map[string]queue{}
	for _, e := range environments {
		for _, part := range e.Parts() {
			if part.Volume.Directory != "" {
				continue
			}
			for _, d := range disksOf(part.Volume) {
				c := claim{fmt.Sprintf("the %s of %s", part.Role, e.Name), d.Device + d.File}
				if err := c.enter(taken); err != nil {
					return err
				}
				if err := queueFor(part.Volume, c).enter(queues, d.Device); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// enter enters all names by which the disk is taken.
func (c claim) enter(taken map[string]claim) error {
	if c.what == "" {
		return nil // an emulated one is nobody else's
	}
	name := withoutLinks(c.what)
	for other, by := range taken {
		if other == name || isPartitionOf(name, other) || isPartitionOf(other, name) {
			return hint.Errorf("give each volume a device or file of its own",
				"%s and %s use one disk: %s", by.who, c.who, both(by.what, c.what))
		}
	}
	taken[name] = c
	return nil
}

// withoutLinks is the real path, also of a file that is not there yet.
func withoutLinks(path string) string {
	if whole, err := filepath.EvalSymlinks(path); err == nil {
		return whole
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return filepath.Clean(path)
}

func both(a, b string) string {
	if a == b {
		return a
	}
	return a + " and " + b
}

// isPartitionOf goes by /sys: names tell too little (sda1, nvme0n1p1, mmcblk0p1).
func isPartitionOf(part, disk string) bool {
	if !strings.HasPrefix(part, "/dev/") || !strings.HasPrefix(disk, "/dev/") {
		return false
	}
	_, err := filepath.EvalSymlinks(filepath.Join(sysBlock, sysName(disk), sysName(part)))
	return err == nil
}
