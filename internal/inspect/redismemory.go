package inspect

import (
	"fmt"
	"strings"

	"plinth/internal/unit"
)

// What a restart and a lower limit do to the data.
const (
	restartServer  = "restart the server (if it persists nothing, it is then empty)"
	lowerMaxmemory = "lower maxmemory (if it is below used_memory, the server evicts keys or refuses writes at once)"
)

// https://redis.io/docs/latest/operate/oss_and_stack/management/optimization/memory-optimization/
// https://redis.io/docs/latest/develop/reference/eviction/
var redisMemoryRules = []rule{
	{
		name: "redis-swapped", weight: 65, about: ofRedis, check: redisSwapped,
		benchmark:  "reading a key back from swap blocks the server for a disk read",
		production: "the same",
		do:         "make memory available: move other processes to a different machine, or " + lowerMaxmemory + "; then " + restartServer,
	},
	{
		name: "redis-eviction", weight: 56, about: ofRedis, check: eviction,
		benchmark:  "keys of the dataset disappear: reads miss, and each eviction is also a write to the append-only file",
		production: "data meant to be persistent is discarded when the memory is full",
		do:         "unless the server is a cache: " + configSet("maxmemory-policy", "noeviction"),
	},
	{
		name: "redis-maxmemory-none", weight: 53, about: ofRedis, check: noMaxmemory,
		benchmark:  "a growing dataset takes all memory, including that for forks and for the page cache",
		production: "the kernel kills the server, which could have refused a write instead",
		do:         "set maxmemory above used_memory, with room left for forks, buffers and other processes; CONFIG REWRITE",
	},
	{
		name: "redis-fragmentation", weight: 43, about: ofRedis, check: fragmentation,
		benchmark:  "the server uses more memory than its data needs: only a smaller dataset fits",
		production: "the same",
		do:         restartServer + "; or, if it was built with jemalloc: " + configSet("activedefrag", "yes"),
	},
}

// memoryToNotice is the amount below which memory ratios are meaningless.
const memoryToNotice = 256 * unit.MiB

func redisSwapped(in *Input) evidence {
	used, rss := in.number("used_memory"), in.number("used_memory_rss")
	if used < int64(memoryToNotice) || rss == 0 || float64(rss) > 0.95*float64(used) {
		return nothing
	}
	if in.Local && in.Machine.Memory.SwapTotal == 0 {
		return nothing // allocated and never written, such as a replication backlog
	}
	return found("only %s of the server's %s is in memory: the rest is swapped out (mem_fragmentation_ratio below 1)", size(rss), size(used))
}

// ignoresMaxmemory reports whether the server is a replica that leaves eviction to its primary.
func (in *Input) ignoresMaxmemory() bool {
	return in.Redis.Info["role"] == "slave" && !in.configured("replica-ignore-maxmemory", "no")
}

// eviction ignores policies that only evict keys with an expiry, unless keys have been evicted.
func eviction(in *Input) evidence {
	policy, known := in.config("maxmemory-policy")
	most, _ := in.Redis.Number("maxmemory")
	gone := in.number("evicted_keys")
	all := strings.HasPrefix(policy, "allkeys")
	if !known || most == 0 || policy == "noeviction" || !in.persists() || in.ignoresMaxmemory() || !all && gone == 0 {
		return nothing
	}
	e := found("persistence is on, but the server evicts keys when it uses %s of memory (maxmemory-policy %s)", size(int64(most)), policy)
	if gone > 0 {
		e.text += "; evicted so far: " + millions(gone)
	}
	return e
}

func noMaxmemory(in *Input) evidence {
	if !in.configured("maxmemory", "0") || in.ignoresMaxmemory() {
		return nothing
	}
	return found("the server has no memory limit (maxmemory is 0)")
}

func fragmentation(in *Input) evidence {
	const much = 1.5
	ratio, known := in.Redis.Number("mem_fragmentation_ratio")
	used := in.number("used_memory")
	if !known || ratio < much || used < int64(memoryToNotice) {
		return nothing
	}
	e := found("the server's resident memory is %.1f times the %s that it allocated (mem_fragmentation_ratio)", ratio, size(used))
	if !in.defragments() {
		e.do = "MEMORY PURGE, if the server was built with jemalloc (its pages are not fragmented: activedefrag would do nothing); or " + restartServer
	}
	return e
}

// defragments reports whether activedefrag would do anything: the allocator's pages are fragmented by 10 %, the default of
// active-defrag-threshold-lower, and by more than active-defrag-ignore-bytes.
func (in *Input) defragments() bool {
	const least = 1.1
	ignored, known := in.Redis.Number("active-defrag-ignore-bytes")
	if !known {
		ignored = float64(100 * unit.MiB)
	}
	ratio, _ := in.Redis.Number("allocator_frag_ratio")
	return ratio >= least && float64(in.number("allocator_frag_bytes")) > ignored
}

// A save and a rewrite fork the server; pages written to meanwhile are copied.
// https://redis.io/docs/latest/operate/oss_and_stack/management/optimization/latency/
// https://redis.io/docs/latest/operate/oss_and_stack/management/admin/
var redisForkRules = []rule{
	{
		name: "redis-fork-room", weight: 74, about: underIt, check: forkRoom,
		benchmark:  "a rewrite under a write load copies pages until the memory is full: then the machine swaps, or the kernel kills the server",
		production: "the machine swaps, the kernel kills the server, or the fork fails and the server then refuses writes",
		do:         "save on a replica on another machine, or " + lowerMaxmemory,
	},
	{
		name: "redis-overcommit", weight: 62, about: underIt, check: redisOvercommit,
		benchmark:  "a fork can fail although few pages are ever copied; after a save that fails, writes are refused with MISCONF (stop-writes-on-bgsave-error)",
		production: "the same",
		do:         "sysctl -w vm.overcommit_memory=1; to keep it across reboots, add it to /etc/sysctl.d",
	},
	{
		name: "redis-thp", weight: 58, about: underIt, check: redisTHP, instead: []string{"thp-always"},
		benchmark:  "after a fork, the first write to a huge page copies 2 MiB before Linux 5.8, and splits the page later; and huge pages take more memory",
		production: "the same; khugepaged uses CPU time to merge pages again",
		do:         "disable-thp yes in redis.conf (6.2 and later), or echo madvise > /sys/kernel/mm/transparent_hugepage/enabled; then " + restartServer,
	},
	{
		name: "redis-slow-fork", weight: 57, about: ofRedis, check: slowFork,
		benchmark:  "no client is served during the fork: it determines the p99.9 of a run with a rewrite in it",
		production: "the same, at each save and rewrite",
		do:         "use smaller servers, or save on a replica; a virtual machine forks faster if the hardware supports nested page tables (on Xen: HVM, not PV)",
	},
}

// forkRoom assumes that all memory of the server is copied, as under a load that writes
// everywhere.
func forkRoom(in *Input) evidence {
	rss, available := in.number("used_memory_rss"), in.Machine.Memory.Available
	if !in.persists() || rss == 0 || available == 0 || rss <= available {
		return nothing
	}
	return found("a save or rewrite may copy up to %s of memory, but only %s is available", size(rss), size(available))
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
	return found("transparent huge pages are on (always), including for the server")
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
		rate = fmt.Sprintf(", %.0f ms per GiB", float64(took)/1e3/(float64(used)/float64(unit.GiB)))
	}
	return found("the last fork took %.0f ms (latest_fork_usec)%s", float64(took)/1e3, rate)
}
