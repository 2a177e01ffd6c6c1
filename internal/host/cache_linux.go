package host

import (
	"io/fs"
	"strconv"
	"strings"
)

// readCaches is the caches of a CPU, nearest first
// (Documentation/ABI/testing/sysfs-devices-system-cpu). A virtual machine shows
// what its hypervisor makes up, or none.
func readCaches(root fs.FS, cpu int) (caches []Cache) {
	dirs, _ := fs.Glob(root, cpuFile(cpu, "cache/index[0-9]*"))
	for _, dir := range dirs {
		level, err := readCount(root, dir+"/level")
		if err != nil {
			continue
		}
		sharers, _ := ParseRanges(readWord(root, dir+"/shared_cpu_list"))
		caches = append(caches, Cache{
			Level:    int(level),
			Type:     readWord(root, dir+"/type"),
			Size:     parseCacheSize(readWord(root, dir+"/size")),
			SharedBy: len(sharers),
		})
	}
	return caches
}

// parseCacheSize is the bytes of "32K"; the kernel writes no other unit. 0 for
// what is not a size.
func parseCacheSize(text string) int64 {
	kib, err := strconv.ParseInt(strings.TrimSuffix(text, "K"), 10, 53)
	if err != nil || kib < 0 {
		return 0
	}
	return kib << 10
}
