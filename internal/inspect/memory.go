package inspect

import (
	"slices"
	"strconv"
	"strings"

	"plinth/internal/host"
	"plinth/internal/unit"
)

var memoryRules = []rule{
	{
		name: "swap-in-use", weight: 63, about: ofMachine, check: swapInUse,
		benchmark:  "each page read back from swap costs a read of the disk under test",
		production: "accesses to memory wait for the disk",
		do:         "find what filled the memory, then: swapoff -a && swapon -a",
	},
	{
		name: "huge-pages-off", weight: 45, about: ofServer, check: hugePagesOff,
		benchmark:  "each backend maps all of shared_buffers in pages of 4 kB; in a published pgbench study, huge pages gave 3 % more read-write TPS",
		production: "with many connections, page tables take gigabytes",
		do:         "sysctl -w vm.nr_hugepages={}, set huge_pages = on, restart the server; to keep it across reboots, add it to /etc/sysctl.d",
	},
	{
		name: "thp-always", weight: 42, about: ofMachine, check: thpAlways,
		benchmark:  "the kernel compacts memory for huge pages at unpredictable times: stalls unrelated to the difference under test",
		production: "the same, and processes take more memory than they need",
		do:         "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
	},
	{
		name: "huge-pages-unused", weight: 40, about: ofMachine, check: hugePagesUnused,
		benchmark:  "reserved huge pages cannot hold page cache, and only processes that request them get them: less memory is usable than it seems",
		production: "the same",
		do:         "let the server use them (huge_pages = on in PostgreSQL, and a restart), or: sysctl -w vm.nr_hugepages=0; to keep it across reboots, add it to /etc/sysctl.d",
	},
	{
		name: "swappiness", weight: 29, about: ofMachine, check: swappiness,
		benchmark:  "the kernel may swap out memory of the server to make room for page cache",
		production: "the same, for example at night, when a backup reads everything once",
		do:         "sysctl -w vm.swappiness=1; to keep it across reboots, add it to /etc/sysctl.d",
	},
	{
		name: "overcommit", weight: 27, about: ofServer, check: overcommit,
		production: "when memory runs out, the kernel kills a process, and if it is one of PostgreSQL's, all sessions end; with the value 2 the server gets an error and continues",
		do:         "sysctl -w vm.overcommit_memory=2 (and vm.overcommit_ratio to fit the memory); to keep it across reboots, add it to /etc/sysctl.d",
	},
}

// swapToNotice is the amount in swap below which it probably holds only pages unused for days.
const swapToNotice = 16 * unit.MiB

// swapInMemory reports whether all swap is compressed memory (zram), of which no disk reads a page back.
func swapInMemory(in *Input) bool {
	onDisk := func(s host.SwapArea) bool { return !strings.HasPrefix(s.Path, "/dev/zram") }
	return len(in.Machine.Swap) > 0 && !slices.ContainsFunc(in.Machine.Swap, onDisk)
}

func swapInUse(in *Input) evidence {
	m := in.Machine.Memory
	if m.SwapUsed < int64(swapToNotice) || swapInMemory(in) {
		return nothing
	}
	return found("swap in use: %s of %s", size(m.SwapUsed), size(m.SwapTotal))
}

func swappiness(in *Input) evidence {
	value, known := in.sysctl("vm.swappiness")
	if !known || value <= 10 || in.Machine.Memory.SwapTotal == 0 || swapInMemory(in) {
		return nothing
	}
	return found("vm.swappiness is %d, with %s of swap", value, size(in.Machine.Memory.SwapTotal))
}

func thpAlways(in *Input) evidence {
	if in.Machine.Memory.THP != "always" {
		return nothing
	}
	return found("transparent huge pages are on for all processes (always)")
}

// largeBuffers is the size below which page tables are too small to matter.
const largeBuffers = 2 * unit.GiB

func hugePagesOff(in *Input) evidence {
	buffers, known := in.setting("shared_buffers")
	bytes, ok := buffers.Bytes()
	if !in.Local || !known || !ok || bytes < int64(largeBuffers) {
		return nothing
	}
	pages := hugePagesNeeded(in, bytes)
	status, tells := in.setting("huge_pages_status") // PostgreSQL 17 and later
	wanted, _ := in.setting("huge_pages")
	switch {
	case tells && status.Value == "off", !tells && wanted.Value == "off":
		return found("shared_buffers is %s and not in huge pages (huge_pages = %s)", buffers.Value, wanted.Value).on(pages)
	case !tells && wanted.Value == "try" && in.Machine.Memory.HugePages == 0:
		return found("shared_buffers is %s and not in huge pages: huge_pages = try, but none are reserved", buffers.Value).on(pages)
	}
	return nothing
}

// hugePagesNeeded returns the number of huge pages for the server's shared memory: PostgreSQL 15
// and later report it; for older versions it is shared_buffers plus 10 %.
func hugePagesNeeded(in *Input, buffers int64) string {
	if s, known := in.setting("shared_memory_size_in_huge_pages"); known && strings.Trim(s.Value, "0123456789") == "" && s.Value != "0" {
		return s.Value
	}
	page := max(in.Machine.Memory.HugePageSize, int64(2*unit.MiB))
	return strconv.FormatInt(buffers*11/10/page+1, 10)
}

func hugePagesUnused(in *Input) evidence {
	m := in.Machine.Memory
	unused := (m.HugePagesFree - m.HugePagesRsvd) * m.HugePageSize
	if m.HugePages == 0 || unused*20 < m.Total {
		return nothing
	}
	return found("%s of %s in huge pages is reserved but not used", size(unused), size(m.HugePages*m.HugePageSize))
}

func overcommit(in *Input) evidence {
	mode, known := in.sysctl("vm.overcommit_memory")
	if !in.Local || !known || mode == 2 {
		return nothing
	}
	return found("vm.overcommit_memory is %d: the kernel grants more memory than the machine has", mode)
}

var dirtyRules = []rule{
	{
		name: "flush-storm", weight: 55, about: ofMachine, check: flushStorm,
		benchmark:  "a run is fast until the kernel writes all dirty pages at once, and slow from then on: in a published pgbench study, flushing 10 % of 16 GB at once cost 50 to 70 % of the TPS (the I/O cliff)",
		production: "commits wait seconds for the flush",
		do:         "sysctl -w vm.dirty_background_bytes=268435456 vm.dirty_bytes=1073741824; to keep it across reboots, add it to /etc/sysctl.d",
	},
}

// muchDirty is the amount of dirty memory that a modern disk writes in about a second.
const muchDirty = unit.GiB

// flushStorm reports the amounts of dirty memory at which the kernel starts write-back and at
// which it throttles writers. Ratios refer to dirtyable memory, which is approximately the available
// memory. https://docs.kernel.org/admin-guide/sysctl/vm.html#dirty-background-ratio
func flushStorm(in *Input) evidence {
	begins, how := in.dirtyLimit("vm.dirty_background_")
	blocks, _ := in.dirtyLimit("vm.dirty_")
	if begins < int64(muchDirty) || in.inMemory("data") {
		return nothing
	}
	if blocks <= 0 {
		return found("the kernel starts write-back at %s of dirty pages (%s)", size(begins), how)
	}
	return found("the kernel starts write-back at %s of dirty pages (%s) and throttles writers at %s", size(begins), how, size(blocks))
}

// dirtyLimit returns a limit in bytes, and the sysctl that sets it, in bytes or as a ratio.
func (in *Input) dirtyLimit(prefix string) (bytes int64, how string) {
	if n, known := in.sysctl(prefix + "bytes"); known && n > 0 {
		return n, prefix + "bytes"
	}
	ratio, known := in.sysctl(prefix + "ratio")
	if !known {
		return 0, ""
	}
	return in.Machine.Memory.Available / 100 * ratio, found("%sratio %d", prefix, ratio).text
}

func (in *Input) inMemory(role string) bool {
	p, known := in.place(role)
	return known && p.InMemory
}
