package kernel

import "plinth/internal/metric"

var vmstatMetrics = from("/proc/vmstat", "proc_vmstat(5)",
	paged("pgpgin", "read from block devices, swap included (the file counts KiB)"),
	paged("pgpgout", "written to block devices, swap included (the file counts KiB)"),
	event("pswpin", "pages read from swap"),
	event("pswpout", "pages written to swap"),
	event("pgfault", "page faults"),
	event("pgmajfault", "page faults that had to wait for a disk"),
	event("nr_dirtied", "pages that programs made dirty"),
	event("nr_written", "dirty pages that were written"),
	event("pgactivate", "pages that were moved to the active list"),
	event("pgscan_kswapd", "pages that kswapd looked at to find memory"),
	event("pgscan_direct", "pages that programs had to look at themselves to find memory"),
	event("pgsteal_kswapd", "pages that kswapd freed"),
	event("pgsteal_direct", "pages that programs had to free themselves"),
	event("allocstall_dma32", "times a program had to free memory itself before it got any, of zone DMA32; since 4.10"),
	event("allocstall_normal", "the same, of zone Normal; since 4.10"),
	event("allocstall_movable", "the same, of zone Movable; since 4.10"),
	event("workingset_refault_anon", "pages of programs that were swapped out too early; since 5.9"),
	event("workingset_refault_file", "pages of files that were dropped too early; since 5.9"),
	event("slabs_scanned", "objects of the kernel that were looked at to find memory"),
	event("kswapd_low_wmark_hit_quickly", "times memory was low again just after kswapd had freed some"),
	event("compact_stall", "times a program had to make room for a huge page itself"),
	event("compact_fail", "times that was in vain"),
	event("compact_success", "times that made room"),
	event("thp_fault_alloc", "transparent huge pages given out at a fault"),
	event("thp_fault_fallback", "faults that got small pages as there was no huge one"),
	event("thp_collapse_alloc", "transparent huge pages made of small ones"),
	event("thp_split_page", "transparent huge pages split into small ones"),
	event("numa_pte_updates", "pages that NUMA balancing marked to see who uses them"),
	event("numa_hint_faults", "faults on such pages"),
	event("numa_hint_faults_local", "those of them that came from the page's own node"),
	event("numa_pages_migrated", "pages that NUMA balancing moved to another node"),
	event("pgmigrate_success", "pages that were moved to another place in memory"),
	event("oom_kill", "processes that were killed as memory had run out; since 4.13"),
	level("nr_dirty", "pages that have to be written to disks"),
	level("nr_writeback", "pages that are being written to disks"),
	level("nr_dirty_threshold", "dirty pages from which programs that write must wait"),
	level("nr_dirty_background_threshold", "dirty pages from which the kernel writes in the background"),
)

func event(name, help string) metric.Metric {
	return metric.Metric{Name: "vmstat." + name, Kind: metric.Rate, Unit: "1/s", Help: help}
}

func paged(name, help string) metric.Metric {
	return metric.Metric{Name: "vmstat." + name, Kind: metric.Rate, Unit: "bytes/s", Help: help}
}

func level(name, help string) metric.Metric {
	return metric.Metric{Name: "vmstat." + name, Kind: metric.Gauge, Unit: "pages", Help: help}
}

func openVmstat(m *machine) (reader, error) {
	return newTally(m.Root, "proc/vmstat", "vmstat", vmstatMetrics), nil
}
