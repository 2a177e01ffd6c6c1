package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"plinth/internal/host/proc"
)

// AvailableMemory is how many bytes a new program can use without swapping:
// the kernel's own estimate (MemAvailable), or less when a control group of this
// process sets a limit.
func AvailableMemory() (int64, error) {
	available, err := availableMemory(os.DirFS("/"))
	if err != nil {
		return 0, fmt.Errorf("cannot read how much memory is available: %w", err)
	}
	return available, nil
}

func availableMemory(root fs.FS) (int64, error) {
	memory, err := readMemory(root)
	if err != nil {
		return 0, err
	}
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return memory.available, nil // a kernel without control groups
	}
	available := memory.available
	for _, dir := range memoryGroups(string(groups)) {
		if room, limited := groupRoom(root, dir); limited {
			available = min(available, room)
		}
	}
	return available, nil
}

// memory is what /proc/meminfo tells, in bytes (proc_meminfo(5)).
type memory struct{ total, available int64 }

func readMemory(root fs.FS) (memory, error) {
	text, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		return memory{}, err
	}
	figures := proc.Meminfo(string(text))
	m := memory{figures["MemTotal"], figures["MemAvailable"]}
	if m.total == 0 {
		return memory{}, errors.New("/proc/meminfo does not tell MemTotal")
	}
	return m, nil
}
