package host

import (
	"io/fs"

	"plinth/internal/host/proc"
)

// addMemory adds /proc/meminfo (proc_meminfo(5)) and how huge pages are given
// out (Documentation/admin-guide/mm/transhuge.rst).
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
		THP:           chosen(readWord(root, thp+"enabled")),
		THPDefrag:     chosen(readWord(root, thp+"defrag")),
		SwapTotal:     m["SwapTotal"],
		SwapUsed:      max(0, m["SwapTotal"]-m["SwapFree"]),
		Zswap:         readWord(root, "sys/module/zswap/parameters/enabled"),
	}
}
