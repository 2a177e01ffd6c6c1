package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"plinth/internal/host/cgroup"
	"plinth/internal/host/proc"
	"plinth/internal/host/sysfs"
)

// UnlimitedMemory is AvailableMemory without the limits of control groups: what the whole machine has.
func UnlimitedMemory() (int64, error) {
	memory, err := readMemory(os.DirFS("/"))
	if err != nil {
		return 0, fmt.Errorf("cannot read how much memory is available: %w", err)
	}
	return memory.available, nil
}

// AvailableMemory returns how many bytes a new program can use without swapping: the kernel's
// estimate (MemAvailable), or less if a control group of this process sets a limit.
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
	for _, dir := range cgroup.MemoryDirs(string(groups)) {
		if room, limited := cgroup.Room(root, dir); limited {
			available = min(available, room)
		}
	}
	return available, nil
}

// memory holds figures of /proc/meminfo, in bytes (proc_meminfo(5)).
type memory struct{ total, available int64 }

func readMemory(root fs.FS) (memory, error) {
	text, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		return memory{}, err
	}
	figures := proc.Meminfo(string(text))
	m := memory{figures["MemTotal"], figures["MemAvailable"]}
	if m.total == 0 {
		return memory{}, errors.New("/proc/meminfo has no MemTotal")
	}
	return m, nil
}

// addMemory adds /proc/meminfo (proc_meminfo(5)) and the settings of transparent huge pages
// (Documentation/admin-guide/mm/transhuge.rst).
func (i *Inventory) addMemory(root fs.FS) {
	text, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		i.gap("memory", err)
	}
	m := proc.Meminfo(string(text))
	const thp = "sys/kernel/mm/transparent_hugepage/"
	i.Memory = MemoryOf{
		Total:         m["MemTotal"],
		Available:     m["MemAvailable"],
		HugePageSize:  m["Hugepagesize"],
		HugePages:     m["HugePages_Total"],
		HugePagesFree: m["HugePages_Free"],
		HugePagesRsvd: m["HugePages_Rsvd"],
		THP:           chosen(sysfs.Word(root, thp+"enabled")),
		THPDefrag:     chosen(sysfs.Word(root, thp+"defrag")),
		SwapTotal:     m["SwapTotal"],
		SwapUsed:      max(0, m["SwapTotal"]-m["SwapFree"]),
		Zswap:         sysfs.Word(root, "sys/module/zswap/parameters/enabled"),
	}
}

// addSwap adds /proc/swaps (proc_swaps(5)). A kernel without swap has no such file, which is
// not a gap.
func (i *Inventory) addSwap(root fs.FS) {
	text, err := fs.ReadFile(root, "proc/swaps")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		i.gap("swap", err)
	}
	for _, area := range proc.Swaps(string(text)) {
		i.Swap = append(i.Swap, SwapArea{proc.Unescape(area.Path), area.Type, area.Size, area.Used})
	}
}
