package host

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"plinth/internal/host/sysfs"
)

// classDir contains every block device by name, partitions included.
const classDir = "sys/class/block/"

// deviceByNumber returns the name of block device "254:0" as /sys spells it: a slash in the
// name below /dev ("cciss/c0d0") becomes an exclamation mark.
func deviceByNumber(root fs.FS, number string) (string, error) {
	link, err := fs.ReadLink(root, "sys/dev/block/"+number)
	return path.Base(link), err
}

// devicesBySource returns the names of devices given as mount(8) shows them: "/dev/sdb1",
// "/dev/mapper/vg-lv", "/dev/vg/lv".
func devicesBySource(root fs.FS, sources ...string) (names []string, err error) {
	for _, source := range sources {
		name, found := deviceBySource(root, source)
		if !found {
			err = fmt.Errorf("%s is not in /sys", source)
			continue
		}
		names = append(names, name)
	}
	return names, err
}

func deviceBySource(root fs.FS, source string) (string, bool) {
	name, found := strings.CutPrefix(source, "/dev/")
	if !found {
		return "", false
	}
	if mapped, found := strings.CutPrefix(name, "mapper/"); found {
		return mappedDevice(root, mapped)
	}
	if plain := strings.ReplaceAll(name, "/", "!"); exists(root, classDir+plain) {
		return plain, true
	}
	group, volume, found := strings.Cut(name, "/")
	if !found {
		return "", false
	}
	// LVM doubles the dashes in both names and joins them with one.
	double := strings.NewReplacer("-", "--")
	return mappedDevice(root, double.Replace(group)+"-"+double.Replace(volume))
}

// mappedDevice finds a device mapper device by its name.
func mappedDevice(root fs.FS, name string) (string, bool) {
	files, _ := fs.Glob(root, "sys/block/dm-*/dm/name")
	for _, file := range files {
		if sysfs.Word(root, file) == name {
			return path.Base(path.Dir(path.Dir(file))), true
		}
	}
	return "", false
}

// btrfsDevices returns all devices of the btrfs that includes source
// (sys/fs/btrfs/UUID/devices). If source is an alias, such as /dev/root, and only one btrfs
// exists, it returns that one's.
func btrfsDevices(root fs.FS, source string) ([]string, error) {
	dirs, _ := fs.Glob(root, "sys/fs/btrfs/*/devices")
	name, _ := deviceBySource(root, source)
	for _, dir := range dirs {
		entries, err := fs.ReadDir(root, dir)
		if err != nil {
			return nil, err
		}
		var names []string
		ours := len(dirs) == 1 && name == ""
		for _, entry := range entries {
			names = append(names, entry.Name())
			ours = ours || entry.Name() == name
		}
		if ours {
			return names, nil
		}
	}
	return nil, fmt.Errorf("/sys/fs/btrfs does not list the devices of the btrfs on %s", source)
}

func exists(root fs.FS, name string) bool {
	_, err := fs.Stat(root, name)
	return err == nil
}
