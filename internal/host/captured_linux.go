package host

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"plinth/internal/host/proc"
	"plinth/internal/host/sysfs"
)

// Captured returns the inventory of a machine whose files of /proc and /sys were copied to root,
// with places as for ReadInventory. Facts that only system calls provide are missing: the kernel's
// version, sizes and free space of filesystems, round trips. It is for tests of this package and of
// those that judge an inventory.
func Captured(root fs.FS, places map[string]string) (Inventory, error) {
	i, err := readInventory(root)
	if err != nil {
		return Inventory{}, fmt.Errorf("cannot inspect the captured machine: %w", err)
	}
	filesystemOf := mountsOf(sysfs.Word(root, "proc/self/mountinfo"))
	for _, role := range slices.Sorted(maps.Keys(places)) {
		f, err := filesystemOf(places[role])
		if err != nil {
			i.gap("places", err)
			continue
		}
		place := placeOn(root, filesystemOf, f)
		place.Role, place.Path = role, places[role]
		i.Places = append(i.Places, place)
	}
	return i, nil
}

// mountsOf finds filesystems by the longest mount point of a mountinfo, the last one winning.
// It is for captured machines, about which the kernel cannot be asked.
func mountsOf(mountinfo string) func(string) (Filesystem, error) {
	return func(path string) (Filesystem, error) {
		var best Filesystem
		for _, line := range proc.Mounts(mountinfo) {
			m := mounted(line)
			below := strings.HasPrefix(path+"/", strings.TrimSuffix(m.MountPoint, "/")+"/")
			if below && len(m.MountPoint) >= len(best.MountPoint) {
				best = m
			}
		}
		if best.Type == "" {
			return best, fmt.Errorf("cannot determine the filesystem of %s: %w", path, fs.ErrNotExist)
		}
		return best, nil
	}
}
