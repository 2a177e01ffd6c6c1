package inspect

import (
	"fmt"
	"strings"

	"plinth/internal/unit"
)

// https://redis.io/docs/latest/operate/oss_and_stack/management/optimization/memory-optimization/
// https://redis.io/docs/latest/develop/reference/eviction/
var redisMemoryRules = []rule{
	{
		name: "redis-swapped", weight: 65, about: ofRedis, check: redisSwapped,
		benchmark:  "a key that comes back from swap stops the server for a read of the disk",
		production: "the same",
		do:         "give it memory: lower maxmemory, or move something away; then restart it",
	},
	{
		name: "redis-eviction", weight: 56, about: ofRedis, check: eviction,
		benchmark:  "keys of the dataset vanish: reads miss, and each eviction is a write to the append-only file, too",
		production: "what was made to last is thrown away when the memory is full",
		do:         "unless it is a cache: " + configSet("maxmemory-policy", "noeviction"),
	},
	{
		name: "redis-maxmemory-none", weight: 53, about: ofRedis, check: noMaxmemory,
		benchmark:  "a load that grows takes all memory, that of forks and of the page cache included",
		production: "the kernel kills the server, where it could have refused a write",
		do:         "set maxmemory to what leaves room for forks, buffers and others; CONFIG REWRITE",
	},
	{
		name: "redis-fragmentation", weight: 43, about: ofRedis, check: fragmentation,
		benchmark:  "the server takes more memory than its data: the dataset that fits is smaller",
		production: "the same",
		do:         "restart it; or, where it was built with jemalloc: " + configSet("activedefrag", "yes"),
	},
}

// memoryToNotice is the amount below which memory ratios are meaningless.
const memoryToNotice = 256 * unit.MiB

func redisSwapped(in *Input) evidence {
	used, rss := in.number("used_memory"), in.number("used_memory_rss")
	if used < int64(memoryToNotice) || rss == 0 || float64(rss) > 0.95*float64(used) {
		return nothing
	}
	return found("%s of %s are in memory: the rest is swapped out (mem_fragmentation_ratio below 1)", size(rss), size(used))
}

// eviction ignores policies that only evict keys with an expiry, unless keys have been evicted.
func eviction(in *Input) evidence {
	policy, known := in.config("maxmemory-policy")
	most, _ := in.Redis.Number("maxmemory")
	gone := in.number("evicted_keys")
	all := strings.HasPrefix(policy, "allkeys")
	if !known || most == 0 || policy == "noeviction" || !in.persists() || !all && gone == 0 {
		return nothing
	}
	e := found("the server evicts keys (maxmemory-policy %s at %s), and keeps them on disk", policy, size(int64(most)))
	if gone > 0 {
		e.text += "; evicted so far: " + millions(gone)
	}
	return e
}

func noMaxmemory(in *Input) evidence {
	if !in.configured("maxmemory", "0") {
		return nothing
	}
	return found("the server has no limit of memory (maxmemory is 0)")
}

func fragmentation(in *Input) evidence {
	const much = 1.5
	ratio, known := in.Redis.Number("mem_fragmentation_ratio")
	used := in.number("used_memory")
	if !known || ratio < much || used < int64(memoryToNotice) {
		return nothing
	}
	return found("the server takes %.1f times the memory of what it holds, %s (mem_fragmentation_ratio)", ratio, size(used))
}

// A save and a rewrite fork the server; pages written to meanwhile are copied.
// https://redis.io/docs/latest/operate/oss_and_stack/management/optimization/latency/
// https://redis.io/docs/latest/operate/oss_and_stack/management/admin/
var redisForkRules = []rule{
	{
		name: "redis-fork-room", weight: 74, about: underIt, check: forkRoom,
		benchmark:  "a rewrite in a load that writes copies pages until the memory is full: then the machine swaps, or kills the server",
		production: "the same; or the fork is refused, and writes with it",
		do:         "lower maxmemory, or let a replica on another machine save",
	},
	{
		name: "redis-overcommit", weight: 62, about: underIt, check: redisOvercommit,
		benchmark:  "a fork may be refused though pages are hardly ever copied; after that each write is refused with MISCONF",
		production: "the same",
		do:         "sysctl -w vm.overcommit_memory=1; a file in /etc/sysctl.d keeps it",
	},
	{
		name: "redis-thp", weight: 58, about: underIt, check: redisTHP, instead: []string{"thp-always"},
		benchmark:  "after a fork each first write copies 2 MB in place of 4 kB: latencies of milliseconds, and memory twice as fast",
		production: "the same",
		do:         "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled, then restart the server; or disable-thp yes (6.2 and later)",
	},
	{
		name: "redis-slow-fork", weight: 57, about: ofRedis, check: slowFork,
		benchmark:  "nobody is answered while it forks: the p99.9 of a load with a rewrite in it is this fork",
		production: "the same, at each save and rewrite",
		do:         "smaller servers, or saves on a replica; a virtual machine with hardware support for page tables (not Xen without it) forks faster",
	},
}

// forkRoom assumes that all memory of the server is copied, as under a load that writes
// everywhere.
func forkRoom(in *Input) evidence {
	rss, available := in.number("used_memory_rss"), in.Machine.Memory.Available
	if !in.persists() || rss == 0 || available == 0 || rss <= available {
		return nothing
	}
	return found("a save or rewrite may copy up to %s, and %s are available", size(rss), size(available))
}

func redisOvercommit(in *Input) evidence {
	mode, known := in.sysctl("vm.overcommit_memory")
	if !known || mode == 1 {
		return nothing
	}
	return found("vm.overcommit_memory is %d, not 1", mode)
}

// redisTHP ignores a server that disables them for itself.
func redisTHP(in *Input) evidence {
	if in.Machine.Memory.THP != "always" || in.configured("disable-thp", "yes") {
		return nothing
	}
	return found("transparent huge pages are on (always), for the server, too")
}

// longFork is the duration below which a fork does not stand out among other latencies.
const longFork = 100_000 // microseconds

func slowFork(in *Input) evidence {
	took := in.number("latest_fork_usec")
	if took < longFork {
		return nothing
	}
	rate := ""
	if used := in.number("used_memory_rss"); used > int64(unit.MiB) {
		rate = fmt.Sprintf(", %.0f ms for each GiB", float64(took)/1e3/(float64(used)/float64(unit.GiB)))
	}
	return found("the last fork took %.0f ms (latest_fork_usec)%s", float64(took)/1e3, rate)
}
