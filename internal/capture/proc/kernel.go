package proc

import (
	"regexp"
	"strconv"
	"strings"

	"plinth/internal/capture"
)

// The files whose lines are a name and a number. Their metrics and units are those of docs/metrics.md;
// values per page or in ticks are converted, with 100 ticks a second as on every architecture that a
// database runs on (USER_HZ).

// memoryNames are the lines of /proc/meminfo that are kept; others are understood.
var memoryNames = set(`MemTotal MemFree MemAvailable Buffers Cached Dirty Writeback AnonPages Mapped Shmem Slab PageTables
	SwapTotal SwapFree SwapCached AnonHugePages HugePages_Total HugePages_Free HugePages_Rsvd`)

// memoryFacts are kept as facts only, because plinth has no metric for them.
var memoryFacts = set("Hugepagesize CommitLimit Committed_AS HugePages_Surp ShmemHugePages FileHugePages SReclaimable SUnreclaim WritebackTmp Active Inactive KernelStack")

var memoryLine = regexp.MustCompile(`^((?:Mem|Swap|HugePages_|Hugepage|Huge|Commit|Committed_|Direct|Vmalloc|Active|Inactive|Anon|File|Shmem|SU?nreclaim|SReclaimable|KReclaimable|Kernel|Page|NFS_|Writeback|Cma|Hardware|Sec|Z[Ss]wap|Buffers|Cached|Unevictable|Mlocked|Dirty|Mapped|Slab|Bounce|Percpu|Unaccepted|Balloon)[A-Za-z0-9_()]*):\s+(\d+)( kB)?$`)

var meminfo = file{
	starts: func(line string) bool { return memoryLine.MatchString(line) },
	take: func(r *reader, line string) bool {
		found := memoryLine.FindStringSubmatch(line)
		if found == nil {
			return false
		}
		value, err := strconv.ParseFloat(found[2], 64)
		if err != nil {
			return false
		}
		if found[3] != "" {
			value *= 1024
		}
		name := "meminfo." + found[1]
		switch {
		case memoryNames[found[1]]:
			r.set("/proc/meminfo", name, found[2]+found[3], value)
		case memoryFacts[found[1]]:
			r.fact("/proc/meminfo", name, found[2]+found[3])
		default:
			r.understood()
		}
		return true
	},
}

// understood notes that a snapshot has a line, though its value is not kept.
func (r *reader) understood() { r.pending = false }

// vmstatFactors are the counters of /proc/vmstat that are metrics, with the factor to their unit.
var vmstatFactors = func() map[string]float64 {
	factors := map[string]float64{"pgpgin": 1024, "pgpgout": 1024}
	for name := range set(`pswpin pswpout pgfault pgmajfault nr_dirtied nr_written pgactivate pgscan_kswapd pgscan_direct pgsteal_kswapd pgsteal_direct
		allocstall_dma32 allocstall_normal allocstall_movable workingset_refault_anon workingset_refault_file slabs_scanned
		kswapd_low_wmark_hit_quickly compact_stall compact_fail compact_success thp_fault_alloc thp_fault_fallback thp_collapse_alloc thp_split_page
		numa_pte_updates numa_hint_faults numa_hint_faults_local numa_pages_migrated pgmigrate_success oom_kill`) {
		factors[name] = 1
	}
	return factors
}()

var vmstatGauges = set("nr_dirty nr_writeback nr_dirty_threshold nr_dirty_background_threshold")

var vmstatLine = regexp.MustCompile(`^((?:nr|pg|numa|thp|compact|workingset|allocstall|zone|drop|kswapd|unevictable|balloon|swap|htlb|cma|direct_map|ksm|zswp|vma|cow|slabs)_[a-z0-9_]+|pg[a-z0-9_]+|pswp(?:in|out)|pageoutrun|swap_ra|oom_kill) (\d+)$`)

var vmstat = file{
	starts: func(line string) bool { return vmstatLine.MatchString(line) },
	take: func(r *reader, line string) bool {
		found := vmstatLine.FindStringSubmatch(line)
		if found == nil {
			return false
		}
		value, err := strconv.ParseFloat(found[2], 64)
		if err != nil {
			return false
		}
		if _, counts := vmstatFactors[found[1]]; counts || vmstatGauges[found[1]] {
			r.set("/proc/vmstat", "vmstat."+found[1], found[2], value)
		} else {
			r.understood()
		}
		return true
	},
}

// cpuModes are the columns of a line of /proc/stat.
var cpuModes = []string{"user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice"}

const ticks = 100 // a second

var (
	cpuLine   = regexp.MustCompile(`^cpu(\d*)((?: +\d+){7,10})$`)
	countLine = regexp.MustCompile(`^(intr|ctxt|btime|processes|procs_running|procs_blocked|softirq|page|swap) (\d+)((?: \d+)*)$`)
)

func isCPU(line string) bool { return cpuLine.MatchString(line) }

var stat = file{starts: isCPU, take: takeStat}

var statNames = set("intr ctxt processes procs_running procs_blocked")

func takeStat(r *reader, line string) bool {
	if found := cpuLine.FindStringSubmatch(line); found != nil {
		fields := strings.Fields(found[2])
		if found[1] != "" {
			r.oneCPU(found[1], fields)
			return true
		}
		for i, field := range fields {
			value, _ := strconv.ParseFloat(field, 64) // digits
			r.set("/proc/stat", "stat.cpu."+cpuModes[i], field, value)
		}
		return true
	}
	found := countLine.FindStringSubmatch(line)
	if found == nil || r.last == "" && !r.stamped {
		return false
	}
	value, _ := strconv.ParseFloat(found[2], 64) // digits
	if statNames[found[1]] {
		r.set("/proc/stat", "stat."+found[1], found[2], value)
	} else {
		r.understood()
	}
	return true
}

// oneCPU sums the modes of one CPU in which it was busy; guest time is a part of user time.
func (r *reader) oneCPU(cpu string, fields []string) {
	r.understood()
	if number, err := strconv.Atoi(cpu); err != nil || number >= maxCPUs || !r.stamped {
		return
	}
	busy := 0.0
	for i, field := range fields[:min(len(fields), 8)] {
		if mode := cpuModes[i]; mode != "idle" && mode != "iowait" {
			value, _ := strconv.ParseFloat(field, 64) // digits
			busy += value
		}
	}
	r.rows.Set("stat.cpu"+cpu+".busy", busy)
}

var loadLine = regexp.MustCompile(`^(\d+\.\d\d) (\d+\.\d\d) (\d+\.\d\d) (\d+/\d+) \d+$`)

var loadavg = file{
	starts: func(line string) bool { return loadLine.MatchString(line) },
	take: func(r *reader, line string) bool {
		found := loadLine.FindStringSubmatch(line)
		if found == nil {
			return false
		}
		for i, name := range []string{"proc.loadavg.1", "proc.loadavg.5", "proc.loadavg.15"} {
			value, _ := strconv.ParseFloat(found[i+1], 64) // digits
			r.set("/proc/loadavg", name, found[i+1], value)
		}
		return true
	},
}

// finish turns the counters of a series into rates.
func finish(series *capture.Series) {
	for name, factor := range vmstatFactors {
		series.Rate("vmstat."+name, "vmstat."+name, factor)
	}
	for _, name := range []string{"stat.intr", "stat.ctxt", "stat.processes"} {
		series.Rate(name, name, 1)
	}
	for _, column := range series.Columns {
		if isOf(column.Name, "stat.cpu") {
			series.Rate(column.Name, column.Name, 1.0/ticks)
		}
	}
	finishDisks(series)
}

// set returns the words of a text.
func set(text string) map[string]bool {
	words := map[string]bool{}
	for _, word := range strings.Fields(text) {
		words[word] = true
	}
	return words
}
