package inspect

import (
	"fmt"

	"plinth/internal/unit"
)

// A save and a rewrite fork the server; what is written to meanwhile is copied.
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

// forkRoom counts all of what the server has as copied, as it is by a load that
// writes everywhere.
func forkRoom(in *Input) evidence {
	rss, available := in.told("used_memory_rss"), in.Machine.Memory.Available
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

// redisTHP leaves out a server that turns them off for itself.
func redisTHP(in *Input) evidence {
	if in.Machine.Memory.THP != "always" || in.configured("disable-thp", "yes") {
		return nothing
	}
	return found("transparent huge pages are on (always), for the server, too")
}

// A fork below this is lost among other latencies.
const longFork = 100_000 // microseconds

func slowFork(in *Input) evidence {
	took := in.told("latest_fork_usec")
	if took < longFork {
		return nothing
	}
	rate := ""
	if used := in.told("used_memory_rss"); used > int64(unit.MiB) {
		rate = fmt.Sprintf(", %.0f ms for each GiB", float64(took)/1e3/(float64(used)/float64(unit.GiB)))
	}
	return found("the last fork took %.0f ms (latest_fork_usec)%s", float64(took)/1e3, rate)
}
