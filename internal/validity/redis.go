package validity

import (
	"fmt"
	"strconv"

	"plinth/internal/record"
	"plinth/internal/unit"
)

// hitsWanted is the share of reads that should find their key: one that does not is
// answered without a value, which is less work.
const hitsWanted = 0.99

// What Redis does by itself.
var (
	rdbSaves    = work{engine: "redis", count: record.RDBSaves, noun: "save"}
	aofRewrites = work{engine: "redis", count: record.AOFRewrites, noun: "rewrite"}
)

var redisWarnings = []rule{
	{
		name:   "no-rewrite-in-load",
		hint:   "measure for longer, or a smaller auto-aof-rewrite-min-size in settings",
		engine: "redis",
		needs:  []string{ofServer + record.AOFRewrites},
		when:   func(c Case) bool { return rewrites(c.Environment) && writes(c.workload()) },
		check:  noRewrite,
	},
	{
		name:   "keys-evicted",
		hint:   "a larger maxmemory, or fewer or smaller keys",
		engine: "redis",
		needs:  []string{ofServer + record.EvictedKeys},
		when:   func(c Case) bool { return mayEvict(c.Environment) },
		check: func(c Case) string {
			n := c.Run.Evidence.Server.Counts[record.EvictedKeys]
			if n <= 0 {
				return ""
			}
			s := c.Environment.Settings
			return fmt.Sprintf("%s vanished during the load (maxmemory is %s, maxmemory-policy %s)",
				unit.Count(n, "key"), sizeSetting(s["maxmemory"]), s["maxmemory-policy"])
		},
	},
	{
		name:   "reads-missed",
		hint:   "a keyspace that is loaded whole before the runs, and no maxmemory that evicts it",
		engine: "redis",
		check: func(c Case) string {
			hits := c.Run.Result.Hits
			if hits == nil || *hits >= hitsWanted {
				return ""
			}
			return percent(*hits) + " of the reads found their key: a miss is less work than a hit"
		},
	},
	rdbSaves.beside("save-neighbour", `save: "" in settings keeps idle servers idle`, "idle servers saved what they hold: "),
	aofRewrites.beside("rewrite-neighbour", "a longer settle, so that rewrites have ended before the next run",
		"idle servers rewrote their append-only files: "),
}

var redisPairs = []pairRule{
	aofRewrites.oneSide("rewrite-one-side",
		"measure for so long that each run has its share of rewrites, or auto-aof-rewrite-percentage: 0 in settings",
		"a rewrite of the append-only file", rewrites),
	rdbSaves.oneSide("save-one-side",
		`measure for so long that each run has its share of saves, or save: "" in settings`,
		"an RDB save", saves),
}

// rewrites says whether a server rewrites its append-only file by itself
// (redis.conf: "Specify a percentage of zero in order to disable the automatic AOF
// rewrite feature").
func rewrites(e record.Environment) bool {
	percentage := e.Settings["auto-aof-rewrite-percentage"]
	return e.Settings["appendonly"] == "yes" && percentage != "" && percentage != "0"
}

// saves says whether a server saves snapshots by itself.
func saves(e record.Environment) bool { return e.Settings["save"] != "" }

// mayEvict says whether a server drops keys when its memory is full. The policy
// noeviction refuses writes instead.
func mayEvict(e record.Environment) bool {
	most, policy := e.Settings["maxmemory"], e.Settings["maxmemory-policy"]
	return most != "" && most != "0" && policy != "noeviction"
}

// noRewrite: the file grows from run to run until a rewrite stops it, and the fork,
// the copied pages and the writing of a rewrite are what an append-only file costs
// beside its own bytes.
func noRewrite(c Case) string {
	if c.Run.Evidence.Server.Counts[record.AOFRewrites] != 0 {
		return ""
	}
	s := c.Environment.Settings
	return fmt.Sprintf("no rewrite of the append-only file fell into the load (it begins at %s %% growth and %s): what it costs later is not in these numbers",
		s["auto-aof-rewrite-percentage"], sizeSetting(s["auto-aof-rewrite-min-size"]))
}

// sizeSetting is bytes, as CONFIG GET has them, with a unit.
func sizeSetting(value string) string {
	if bytes, err := strconv.ParseInt(value, 10, 64); err == nil {
		return unit.Size(bytes).String()
	}
	return value
}
