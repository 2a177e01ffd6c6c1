package inspect

import (
	"fmt"
	"strings"
	"time"
)

// A single thread serves all clients: if it blocks, all of them wait.
// https://redis.io/docs/latest/operate/oss_and_stack/management/optimization/latency/
var redisStallRules = []rule{
	{
		name: "redis-delayed-fsync", weight: 60, about: ofRedis, check: delayedFsync,
		benchmark:  "the server blocked during these syncs: they are the worst latencies of a write load",
		production: "the disk is too slow, or too busy, for the append-only file",
		do:         "use a separate disk for dir; plinth probe on that directory measures its flushes",
	},
	{
		name: "redis-slow-commands", weight: 52, about: ofRedis, check: slowCommands,
		benchmark:  "each of them goes through all keys, and all clients wait",
		production: "the same, and the time grows with the data",
		do:         "use SCAN instead of KEYS, and FLUSHALL ASYNC; ACL SETUSER ... -@dangerous forbids such commands",
	},
	{
		name: "redis-latency-events", weight: 41, about: ofRedis, check: latencyEvents,
		benchmark:  "in a run of a few seconds, one of these determines the p99.9",
		production: "all clients waited that long",
		do:         "run LATENCY DOCTOR for details; LATENCY RESET clears the events",
	},
	{
		name: "redis-slowlog", weight: 31, about: ofRedis, check: slowlog,
		benchmark:  "some commands take longer than slowlog-log-slower-than: they may cause the tail latency of a run",
		production: "the same",
		do:         "list them with SLOWLOG GET 10",
	},
	{
		name: "redis-latency-monitor", weight: 11, about: ofRedis, check: monitorOff,
		benchmark:  "forks, slow syncs and evictions are not recorded: the cause of a stall stays unknown",
		production: "the same; the cost of the monitor is negligible",
		do:         configSet("latency-monitor-threshold", "100"),
	},
}

func delayedFsync(in *Input) evidence {
	n := in.number("aof_delayed_fsync")
	if n == 0 {
		return nothing
	}
	return found("%s of the append-only file took so long that writes waited (aof_delayed_fsync)", several(int(n), "sync"))
}

// allKeys lists commands that visit all keys.
var allKeys = []string{"keys", "flushall", "flushdb", "save"}

// slowFlush is the mean time in milliseconds from which FLUSHALL and FLUSHDB are reported: with ASYNC, or without many keys,
// they take less.
const slowFlush = 10

// slowCommands counts since the server started, or since CONFIG RESETSTAT: when that was is not known.
func slowCommands(in *Input) evidence {
	var parts []string
	for _, name := range allKeys {
		if calls, took := in.Redis.Calls(name); calls > 0 {
			mean := float64(took.Microseconds()) / float64(calls) / 1e3
			if strings.HasPrefix(name, "flush") && mean < slowFlush {
				continue
			}
			often := "once"
			if calls != 1 {
				often = millions(calls) + " times"
			}
			parts = append(parts, fmt.Sprintf("%s %s (mean %.1f ms)", strings.ToUpper(name), often, mean))
		}
	}
	if parts == nil {
		return nothing
	}
	return found("since the server started (%s ago) or its statistics were reset (CONFIG RESETSTAT), clients ran %s", ago(in.Now.Sub(in.Redis.Started).Seconds()), list(parts))
}

// latencyEvents finds kinds of events of which the latest one was in the last day and took at least 100 ms. The maximum of a kind
// may be from long before.
func latencyEvents(in *Input) evidence {
	const long = 100
	var parts []string
	for _, e := range in.Redis.Latency {
		if e.Latest >= long && in.Now.Sub(e.At) < 24*time.Hour {
			parts = append(parts, fmt.Sprintf("%s (%d ms; at most %d ms since LATENCY RESET)", e.Name, e.Latest, e.Most))
		}
	}
	if parts == nil {
		return nothing
	}
	return found("events that blocked all clients: %s", list(parts))
}

func slowlog(in *Input) evidence {
	if in.Redis.Slow <= 0 {
		return nothing
	}
	than, _ := in.config("slowlog-log-slower-than")
	return found("%d commands in the slow log (slowlog-log-slower-than %s µs)", in.Redis.Slow, than)
}

func monitorOff(in *Input) evidence {
	if !in.configured("latency-monitor-threshold", "0") {
		return nothing
	}
	return found("the latency monitor is off (latency-monitor-threshold is 0)")
}
