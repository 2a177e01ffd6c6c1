package kernel

import "plinth/internal/metric"

var meminfoMetrics = from("/proc/meminfo", "proc_meminfo(5)",
	memory("MemTotal", "memory that the kernel manages"),
	memory("MemFree", "memory that nothing uses"),
	memory("MemAvailable", "what programs could take without swapping, as the kernel guesses; since 3.14"),
	memory("Buffers", "cache of block devices, file systems' own blocks among it"),
	memory("Cached", "cache of files, shared memory and tmpfs included"),
	memory("Dirty", "cache that has to be written to disks"),
	memory("Writeback", "cache that is being written to disks"),
	memory("AnonPages", "memory of programs that belongs to no file"),
	memory("Mapped", "files that programs have mapped, and shared memory in use"),
	memory("Shmem", "shared memory and tmpfs; shared_buffers are here, unless they are huge pages"),
	memory("Slab", "the kernel's own objects, such as inodes"),
	memory("PageTables", "page tables: they grow with shared_buffers x connections where there are no huge pages"),
	memory("SwapTotal", "swap space"),
	memory("SwapFree", "swap space that nothing uses"),
	memory("SwapCached", "what is in swap and in memory as well"),
	memory("AnonHugePages", "AnonPages in transparent huge pages"),
	pages("HugePages_Total", "huge pages that are set aside (vm.nr_hugepages)"),
	pages("HugePages_Free", "huge pages set aside that are not in use"),
	pages("HugePages_Rsvd", "huge pages that are promised, but not yet in use"),
)

func memory(name, help string) metric.Metric {
	return metric.Metric{Name: "meminfo." + name, Kind: metric.Gauge, Unit: "bytes", Help: help}
}

func pages(name, help string) metric.Metric {
	return metric.Metric{Name: "meminfo." + name, Kind: metric.Gauge, Unit: "1", Help: help}
}

func openMeminfo(m *machine) (reader, error) {
	return newTally(m.Root, "proc/meminfo", "meminfo", meminfoMetrics), nil
}
