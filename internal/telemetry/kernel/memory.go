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
			b.Absent(m, "this kernel does not report it")
		}
	}
}

var meminfoMetrics = from("/proc/meminfo", "proc_meminfo(5)",
	memory("MemTotal", "memory that the kernel manages"),
	memory("MemFree", "unused memory"),
	memory("MemAvailable", "memory available to programs without swapping, by the kernel's estimate; since Linux 3.14"),
	memory("Buffers", "cache of block devices, including filesystem metadata"),
	memory("Cached", "cache of files, shared memory and tmpfs included"),
	memory("Dirty", "page cache that has yet to be written to disk"),
	memory("Writeback", "page cache that is being written to disk"),
	memory("AnonPages", "anonymous memory of programs, which is not backed by a file"),
	memory("Mapped", "files mapped by programs, and shared memory in use"),
	memory("Shmem", "shared memory and tmpfs; includes shared_buffers unless they use huge pages"),
	memory("Slab", "the kernel's own objects, such as inodes"),
	memory("PageTables", "page tables; without huge pages they grow with shared_buffers x connections"),
	memory("SwapTotal", "total swap space"),
	memory("SwapFree", "unused swap space"),
	memory("SwapCached", "memory that is also in swap"),
	memory("AnonHugePages", "anonymous memory in transparent huge pages"),
	pages("HugePages_Total", "huge pages in the pool (vm.nr_hugepages)"),
	pages("HugePages_Free", "huge pages in the pool that are not in use"),
	pages("HugePages_Rsvd", "huge pages reserved but not yet in use"),
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
	paged("pgpgin", "bytes read from block devices, swap included (/proc/vmstat counts KiB)"),
	paged("pgpgout", "bytes written to block devices, swap included (/proc/vmstat counts KiB)"),
	event("pswpin", "pages read from swap"),
	event("pswpout", "pages written to swap"),
	event("pgfault", "page faults"),
	event("pgmajfault", "page faults that had to wait for a disk read"),
	event("nr_dirtied", "pages that programs dirtied"),
	event("nr_written", "dirty pages written to disk"),
	event("pgactivate", "pages moved to the active list"),
	event("pgscan_kswapd", "pages that kswapd scanned for reclaim"),
	event("pgscan_direct", "pages that programs scanned in direct reclaim"),
	event("pgsteal_kswapd", "pages that kswapd reclaimed"),
	event("pgsteal_direct", "pages that programs reclaimed in direct reclaim"),
	event("allocstall_dma32", "allocations that stalled in direct reclaim, in zone DMA32; since Linux 4.10"),
	event("allocstall_normal", "allocations that stalled in direct reclaim, in zone Normal; since Linux 4.10"),
	event("allocstall_movable", "allocations that stalled in direct reclaim, in zone Movable; since Linux 4.10"),
	event("workingset_refault_anon", "anonymous pages read back soon after they were swapped out; since Linux 5.9"),
	event("workingset_refault_file", "file pages read back soon after they were dropped; since Linux 5.9"),
	event("slabs_scanned", "kernel objects scanned for reclaim"),
	event("kswapd_low_wmark_hit_quickly", "times that memory was low again just after kswapd had reclaimed some"),
	event("compact_stall", "times that a program had to compact memory itself for a huge page"),
	event("compact_fail", "direct compactions that failed"),
	event("compact_success", "direct compactions that succeeded"),
	event("thp_fault_alloc", "transparent huge pages allocated at a page fault"),
	event("thp_fault_fallback", "page faults that got small pages because no huge page was free"),
	event("thp_collapse_alloc", "transparent huge pages assembled from small pages"),
	event("thp_split_page", "transparent huge pages split into small pages"),
	event("numa_pte_updates", "pages that NUMA balancing marked, to see which node uses them"),
	event("numa_hint_faults", "page faults on pages that NUMA balancing marked"),
	event("numa_hint_faults_local", "page faults on such pages from the node that holds the page"),
	event("numa_pages_migrated", "pages that NUMA balancing moved to another node"),
	event("pgmigrate_success", "pages moved to another place in memory"),
	event("oom_kill", "processes killed because memory ran out; since Linux 4.13"),
	level("nr_dirty", "dirty pages that have yet to be written to disk"),
	level("nr_writeback", "pages that are being written to disk"),
	level("nr_dirty_threshold", "number of dirty pages above which programs that write have to wait"),
	level("nr_dirty_background_threshold", "number of dirty pages above which the kernel writes them back in the background"),
)

var (
	event = tallied("vmstat", metric.Rate, "1/s")
	paged = tallied("vmstat", metric.Rate, "bytes/s")
	level = tallied("vmstat", metric.Gauge, "pages")
)

func openVmstat(m *machine) (reader, error) {
	return newTally(m.Root, "proc/vmstat", "vmstat", vmstatMetrics), nil
}
