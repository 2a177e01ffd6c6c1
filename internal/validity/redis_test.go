package validity

import (
	"slices"
	"strings"
	"testing"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// cached turns a sound case into one of Redis: a server that writes an append-only file and
// has rewritten it once.
func cached(c *Case, workload string) {
	c.Experiment.Engine = "redis"
	c.Experiment.Workloads = []experiment.Workload{{Name: workload, Scripts: []experiment.Script{{Builtin: workload}}}}
	c.Run.Workload = workload
	c.Environment.Settings = map[string]string{
		"appendonly": "yes", "auto-aof-rewrite-percentage": "100", "auto-aof-rewrite-min-size": "67108864",
		"save": "", "maxmemory": "0", "maxmemory-policy": "noeviction",
	}
	c.Run.Evidence.Server.Counts = redisCounts(0, 1, 0)
	for i := range c.Run.Evidence.Neighbours {
		c.Run.Evidence.Neighbours[i].Counts = redisCounts(0, 0, 0)
	}
}

func redisCounts(saves, rewrites, evicted int64) map[string]int64 {
	return map[string]int64{record.RDBSaves: saves, record.AOFRewrites: rewrites, record.EvictedKeys: evicted}
}

// onRedis returns a change to a case of Redis that sets keys.
func onRedis(change func(*Case)) func(*Case) {
	return func(c *Case) { cached(c, "set"); change(c) }
}

func hits(share float64) func(*Case) {
	return func(c *Case) { cached(c, "get"); c.Run.Result.Hits = &share }
}

var redisTrials = []trial{
	{"redis", onRedis(func(*Case) {}), "", ""},
	{"no rewrite", onRedis(func(c *Case) { c.Run.Evidence.Server.Counts = redisCounts(3, 0, 0) }), "no-rewrite-in-load",
		"no rewrite of the append-only file ran during the load (a rewrite starts once the file has grown by 100 % and has reached 64MiB)"},
	{"no rewrite where none is automatic", onRedis(func(c *Case) {
		c.Run.Evidence.Server.Counts = redisCounts(0, 0, 0)
		c.Environment.Settings["auto-aof-rewrite-percentage"] = "0"
	}), "", ""},
	{"no rewrite where there is no file", onRedis(func(c *Case) {
		c.Run.Evidence.Server.Counts = redisCounts(0, 0, 0)
		c.Environment.Settings["appendonly"] = "no"
	}), "", ""},
	{"no rewrite of reads", func(c *Case) {
		cached(c, "get")
		c.Run.Evidence.Server.Counts = redisCounts(0, 0, 0)
	}, "", ""},
	{"rewrites are not reported", onRedis(func(c *Case) { delete(c.Run.Evidence.Server.Counts, record.AOFRewrites) }), "evidence-missing", "not checked: no-rewrite-in-load"},
	{"keys evicted", onRedis(func(c *Case) {
		c.Run.Evidence.Server.Counts = redisCounts(0, 1, 31)
		c.Environment.Settings["maxmemory"], c.Environment.Settings["maxmemory-policy"] = "1073741824", "allkeys-lru"
	}), "keys-evicted", "the server evicted 31 keys during the load (maxmemory is 1GiB, maxmemory-policy allkeys-lru)"},
	{"evictions are not reported where there are none", onRedis(func(c *Case) { delete(c.Run.Evidence.Server.Counts, record.EvictedKeys) }), "", ""},
	{"saved on an idle server", onRedis(func(c *Case) { c.Run.Evidence.Neighbours[0].Counts = redisCounts(2, 0, 0) }), "save-neighbour",
		"idle servers saved snapshots during the load: memory (2 saves)"},
	{"rewritten on an idle server", onRedis(func(c *Case) { c.Run.Evidence.Neighbours[1].Counts = redisCounts(0, 1, 0) }), "rewrite-neighbour", "nfs (1 rewrite)"},
	{"reads that miss", hits(0.632), "reads-missed", "63.2 % of the reads found their key"},
	{"reads that hit", hits(0.99), "", ""},
	{"a short run", onRedis(func(c *Case) { c.Run.Result.Duration = 5; c.Points = steadyPoints(5) }), "short", "see a rewrite, a save or the kernel's write-back"},
}

// redisPairTrials hold the counts of the runs of a block: disk, memory and nfs.
var redisPairTrials = []struct {
	name     string
	saves    [3]int64
	rewrites [3]int64
	aof      [3]string // "off": the environment has no append-only file
	want     string
	text     string
}{
	{"in each", [3]int64{1, 2, 1}, [3]int64{4, 1, 1}, [3]string{}, "", ""},
	{"rewritten in one", [3]int64{1, 1, 1}, [3]int64{0, 3, 0}, [3]string{}, "rewrite-one-side",
		"a rewrite of the append-only file ran in memory (3) but not in disk, nfs"},
	{"rewritten where it can be", [3]int64{1, 1, 1}, [3]int64{0, 3, 2}, [3]string{off}, "", ""},
	{"rewritten in one of two that can", [3]int64{1, 1, 1}, [3]int64{0, 3, 0}, [3]string{off}, "rewrite-one-side", "in memory (3) but not in nfs"},
	{"saved in two", [3]int64{0, 1, 1}, [3]int64{1, 1, 1}, [3]string{}, "save-one-side", "an RDB save ran in memory (1), nfs (1) but not in disk"},
}

const off = "off"

func TestRedisSideBySide(t *testing.T) {
	for _, try := range redisPairTrials {
		t.Run(try.name, func(t *testing.T) {
			c, environments := sound(), map[string]record.Environment{}
			var runs []record.Run
			for i, name := range []string{"disk", "memory", "nfs"} {
				c = sound()
				cached(&c, "set")
				c.Environment.Settings["save"] = "3600 1"
				if try.aof[i] == off {
					c.Environment.Settings["appendonly"] = "no"
				}
				c.Run.Environment, c.Run.Evidence.Server.Counts = name, redisCounts(try.saves[i], try.rewrites[i], 0)
				environments[name], runs = c.Environment, append(runs, *c.Run)
			}
			b := Beside(c.Experiment, environments, runs)
			if got := rulesOf(b.Reasons, b.Warnings); got != try.want {
				t.Fatalf("got %q, want %q: %+v", got, try.want, b)
			}
			if notes := slices.Concat(b.Reasons, b.Warnings); len(notes) > 0 && !strings.Contains(notes[0].Text, try.text) {
				t.Errorf("text %q lacks %q", notes[0].Text, try.text)
			}
		})
	}
}
