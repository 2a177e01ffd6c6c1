package inspect

import (
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

// Below this, ratios of memory say nothing.
const memoryToNotice = 256 * unit.MiB

func redisSwapped(in *Input) evidence {
	used, rss := in.told("used_memory"), in.told("used_memory_rss")
	if used < int64(memoryToNotice) || rss == 0 || float64(rss) > 0.95*float64(used) {
		return nothing
	}
	return found("%s of %s are in memory: the rest is swapped out (mem_fragmentation_ratio below 1)", size(rss), size(used))
}

// eviction passes over policies that take keys with an expiry only, until they took some.
func eviction(in *Input) evidence {
	policy, known := in.config("maxmemory-policy")
	most, _ := in.Redis.Number("maxmemory")
	gone := in.told("evicted_keys")
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
	used := in.told("used_memory")
	if !known || ratio < much || used < int64(memoryToNotice) {
		return nothing
	}
	return found("the server takes %.1f times the memory of what it holds, %s (mem_fragmentation_ratio)", ratio, size(used))
}
