package host

import (
	"io/fs"
	"strconv"
	"strings"
)

// addMemory adds /proc/meminfo (proc_meminfo(5)) and how huge pages are given
// out (Documentation/admin-guide/mm/transhuge.rst).
func (i *Inventory) addMemory(root fs.FS) {
	text, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		i.gap("memory", err)
	}
	m := parseMeminfo(string(text))
	const thp = "sys/kernel/mm/transparent_hugepage/"
	i.Memory = MemoryOf{
		Total:         m["MemTotal"],
		Available:     m["MemAvailable"],
		HugePageSize:  m["Hugepagesize"],
		HugePages:     m["HugePages_Total"],
		HugePagesFree: m["HugePages_Free"],
		HugePagesRsvd: m["HugePages_Rsvd"],
		THP:           chosen(readWord(root, thp+"enabled")),
		THPDefrag:     chosen(readWord(root, thp+"defrag")),
		SwapTotal:     m["SwapTotal"],
		SwapUsed:      max(0, m["SwapTotal"]-m["SwapFree"]),
		Zswap:         readWord(root, "sys/module/zswap/parameters/enabled"),
	}
}

// parseMeminfo is the figures of /proc/meminfo, or of a node's meminfo, whose
// lines begin with "Node 0". Those in kB are returned in bytes; others count.
func parseMeminfo(text string) map[string]int64 {
	figures := map[string]int64{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) > 2 && fields[0] == "Node" {
			fields = fields[2:]
		}
		if len(fields) < 2 {
			continue
		}
		n, err := strconv.ParseInt(fields[1], 10, 53)
		if err != nil || n < 0 {
			continue
		}
		if len(fields) > 2 && fields[2] == "kB" {
			n <<= 10
		}
		figures[strings.TrimSuffix(fields[0], ":")] = n
	}
	return figures
}
