package kernel

import (
	"fmt"
	"strings"

	"plinth/internal/host/proc"
	"plinth/internal/metric"
	"plinth/internal/telemetry"
)

// tally is a source that is one file with a name and a number on each line: /proc/meminfo
// and /proc/vmstat.
type tally struct {
	metrics []metric.Metric
	factor  []float64 // of each metric, converts the file's unit to the metric's
	file    file
	keys    proc.Keyed
	values  []proc.Value
	slots   []telemetry.Slot // of each metric; nil before the first reading
}

// newTally returns a source whose metrics are named after the source, a dot, and the name
// in the file.
func newTally(root, path, name string, metrics []metric.Metric) *tally {
	t := &tally{metrics: metrics, file: newFile(root, path), keys: proc.Keyed{}, values: make([]proc.Value, len(metrics))}
	for i, m := range metrics {
		t.keys[m.Name[len(name)+1:]] = i
		t.factor = append(t.factor, 1)
		if strings.HasPrefix(m.Unit, "bytes") {
			t.factor[i] = 1024 // both files count KiB
		}
	}
	return t
}

func (t *tally) close() { t.file.close() }

func (t *tally) readTo(b *telemetry.Board) error {
	text, err := t.file.read()
	if err != nil {
		return err
	}
	if err := t.keys.Parse(text, t.values); err != nil {
		return fmt.Errorf("%s %w", t.file.path, err)
	}
	if t.slots == nil {
		t.bind(b)
	}
	for i, v := range t.values {
		if v.There {
			b.Put(t.slots[i], float64(v.N)*t.factor[i])
		}
	}
	return nil
}

// bind creates the columns. A name that is missing at the first reading is not counted by
// this kernel, or has another name there.
func (t *tally) bind(b *telemetry.Board) {
	for i, m := range t.metrics {
		t.slots = append(t.slots, b.Column(m))
		if !t.values[i].There {
			b.Absent(m, "this kernel does not tell it")
		}
	}
}

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

var (
	memory = tallied("meminfo", metric.Gauge, "bytes")
	pages  = tallied("meminfo", metric.Gauge, "1")
)

// tallied returns a constructor for metrics of one file, kind and unit.
func tallied(file string, kind metric.Kind, unit string) func(name, help string) metric.Metric {
	return func(name, help string) metric.Metric {
		return metric.Metric{Name: file + "." + name, Kind: kind, Unit: unit, Help: help}
	}
}

func openMeminfo(m *machine) (reader, error) {
	return newTally(m.Root, "proc/meminfo", "meminfo", meminfoMetrics), nil
}

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

var (
	event = tallied("vmstat", metric.Rate, "1/s")
	paged = tallied("vmstat", metric.Rate, "bytes/s")
	level = tallied("vmstat", metric.Gauge, "pages")
)

func openVmstat(m *machine) (reader, error) {
	return newTally(m.Root, "proc/vmstat", "vmstat", vmstatMetrics), nil
}
