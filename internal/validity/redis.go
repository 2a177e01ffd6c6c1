package validity

import (
	"fmt"
	"strconv"

	"plinth/internal/record"
	"plinth/internal/unit"
)

// hitsWanted is the share of reads that should find their key. A miss is less work than a
// hit: the reply has no value.
const hitsWanted = 0.99

// Background work of Redis.
var (
	rdbSaves    = work{engine: "redis", count: record.RDBSaves, noun: "save"}
	aofRewrites = work{engine: "redis", count: record.AOFRewrites, noun: "rewrite"}
)

var redisWarnings = []rule{
	{
		name:   "no-rewrite-in-load",
		hint:   "measure longer, or set a smaller auto-aof-rewrite-min-size in settings",
		engine: "redis",
		needs:  []string{ofServer + record.AOFRewrites},
		when:   func(c Case) bool { return rewrites(c.Environment) && writes(c.workload()) && !isShort(c) },
		check:  noRewrite,
	},
	{
		name:   "keys-evicted",
		hint:   "use a larger maxmemory, or fewer or smaller keys",
		engine: "redis",
		needs:  []string{ofServer + record.EvictedKeys},
		when:   func(c Case) bool { return mayEvict(c.Environment) },
		check: func(c Case) string {
			n := c.Run.Evidence.Server.Counts[record.EvictedKeys]
			if n <= 0 {
				return ""
			}
			s := c.Environment.Settings
			return fmt.Sprintf("the server evicted %s during the load (maxmemory is %s, maxmemory-policy %s)",
				unit.Count(n, "key"), sizeSetting(s["maxmemory"]), s["maxmemory-policy"])
		},
	},
	{
		name:   "reads-missed",
		hint:   "load all keys before the runs, and set maxmemory high enough to keep them",
		engine: "redis",
		check: func(c Case) string {
			hits := c.Run.Result.Hits
			if hits == nil || *hits >= hitsWanted {
				return ""
			}
			return percent(*hits) + " of the reads found their key: misses are less work than hits"
		},
	},
	rdbSaves.onIdle("save-neighbour", `set save: "" in settings to keep idle servers idle`, "idle servers saved snapshots during the load: "),
	aofRewrites.onIdle("rewrite-neighbour", "use a longer settle, so that rewrites end before the next run",
		"idle servers rewrote their append-only files during the load: "),
}

var redisPairs = []pairRule{
	aofRewrites.oneSide("rewrite-one-side",
		"measure long enough for every run to include rewrites, or set auto-aof-rewrite-percentage: 0 in settings",
		"a rewrite of the append-only file", rewrites),
	rdbSaves.oneSide("save-one-side",
		`measure long enough for every run to include saves, or set save: "" in settings`,
		"an RDB save", saves),
}

// rewrites reports whether a server rewrites its append-only file automatically
// (redis.conf: "Specify a percentage of zero in order to disable the automatic AOF
// rewrite feature").
func rewrites(e record.Environment) bool {
	percentage := e.Settings["auto-aof-rewrite-percentage"]
	return e.Settings["appendonly"] == "yes" && percentage != "" && percentage != "0"
}

// saves reports whether a server saves snapshots automatically.
func saves(e record.Environment) bool { return e.Settings["save"] != "" }

// mayEvict reports whether a server evicts keys when maxmemory is reached. With the policy
// noeviction it refuses writes instead.
func mayEvict(e record.Environment) bool {
	most, policy := e.Settings["maxmemory"], e.Settings["maxmemory-policy"]
	return most != "" && most != "0" && policy != "noeviction"
}

// noRewrite reports a load without a rewrite of the append-only file. The file grows from
// run to run until a rewrite. The fork, the copied pages and the writes of a rewrite are part
// of the cost of an append-only file, in addition to the appended bytes.
func noRewrite(c Case) string {
	if c.Run.Evidence.Server.Counts[record.AOFRewrites] != 0 {
		return ""
	}
	s := c.Environment.Settings
	return fmt.Sprintf("no rewrite of the append-only file ran during the load (a rewrite starts once the file has grown by %s %% and has reached %s): the results do not include its cost",
		s["auto-aof-rewrite-percentage"], sizeSetting(s["auto-aof-rewrite-min-size"]))
}

// sizeSetting formats a number of bytes, as CONFIG GET returns it, with a unit.
func sizeSetting(value string) string {
	if bytes, err := strconv.ParseInt(value, 10, 64); err == nil {
		return unit.Size(bytes).String()
	}
	return value
}
