package volume

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plinth/internal/host"
	"plinth/internal/host/proc"
)

// use returns what a block device, or a partition of it, is in use for; "" if no use is visible.
// Mounts in other mount namespaces are not; an exclusive open detects them.
func use(name string) (string, error) {
	names := []string{name}
	partitions, _ := filepath.Glob(filepath.Join(sysBlock, name, "*", "partition"))
	for _, file := range partitions {
		names = append(names, filepath.Base(filepath.Dir(file)))
	}
	for _, n := range names {
		for _, look := range []func(string) (string, error){mountedUse, swapUse, heldUse, loopUse} {
			if found, err := look(n); err != nil || found != "" {
				return found, err
			}
		}
	}
	return "", nil
}

// mountedUse finds a mount by the device number or, for btrfs, which does not show a device's
// number, by its source.
func mountedUse(name string) (string, error) {
	mounts, err := host.Mounts()
	if err != nil {
		return "", err
	}
	number := readWord(filepath.Join(sysBlock, name, "dev"))
	for _, m := range mounts {
		if m.ID == number || strings.HasPrefix(m.Source, "/dev/") && sysNameOf(m.Source) == name {
			return "mounted at " + m.MountPoint, nil
		}
	}
	return "", nil
}

func swapUse(name string) (string, error) {
	text, err := os.ReadFile("/proc/swaps")
	for _, area := range proc.Swaps(string(text)) {
		if sysNameOf(area.Path) == name {
			return "used as swap", nil
		}
	}
	return "", ignoreMissing(err)
}

// heldUse finds kernel devices built on it: arrays, LVM, encryption.
func heldUse(name string) (string, error) {
	entries, err := os.ReadDir(filepath.Join(sysBlock, name, "holders"))
	var holders []string
	for _, e := range entries {
		holders = append(holders, e.Name())
	}
	if len(holders) == 0 {
		return "", ignoreMissing(err)
	}
	return "part of " + strings.Join(holders, ", "), nil
}

// loopUse finds a loop device on it.
func loopUse(name string) (string, error) {
	files, err := filepath.Glob("/sys/block/loop*/loop/backing_file")
	at := slices.IndexFunc(files, func(file string) bool { return sysNameOf(readWord(file)) == name })
	if at < 0 {
		return "", err
	}
	return "under " + filepath.Base(filepath.Dir(filepath.Dir(files[at]))), nil
}

// readWord returns the content of a one-line file; "" if it cannot be read.
func readWord(file string) string {
	text, _ := os.ReadFile(file)
	return strings.TrimSpace(string(text))
}

func ignoreMissing(err error) error {
	if os.IsNotExist(err) {
		return nil
	}
	return err
}
