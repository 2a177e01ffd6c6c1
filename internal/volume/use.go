package volume

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plinth/internal/host"
	"plinth/internal/host/proc"
)

// use says what a block device is in use for, or a partition of it; "" for nothing
// that can be seen. What other namespaces have mounted only a claim can tell.
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

// mountedUse finds a mount by the device's number; btrfs has none of a device, and
// is found by its source.
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

// heldUse finds what the kernel has built on it: arrays, LVM, encryption.
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

// readWord is the content of a file of one line; "" where there is none.
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
