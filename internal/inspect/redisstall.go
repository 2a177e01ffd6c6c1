package inspect

import (
	"fmt"
	"time"
)

// A single thread serves all clients: whatever blocks it blocks all of them.
// https://redis.io/docs/latest/operate/oss_and_stack/management/optimization/latency/
var redisStallRules = []rule{
	{
		name: "redis-delayed-fsync", weight: 60, about: ofRedis, check: delayedFsync,
		benchmark:  "the server stood still for these syncs: they are the worst latencies of a load that writes",
		production: "the disk is too slow, or too busy, for the append-only file",
		do:         "a disk of its own for dir; plinth probe on that directory shows its flushes",
	},
	{
		name: "redis-slow-commands", weight: 52, about: ofRedis, check: slowCommands,
		benchmark:  "each of them goes through all keys, and everybody waits",
		production: "the same, and it grows with the data",
		do:         "SCAN in place of KEYS; FLUSHALL ASYNC; ACL SETUSER ... -@dangerous keeps them out",
	},
	{
		name: "redis-latency-events", weight: 41, about: ofRedis, check: latencyEvents,
		benchmark:  "in a run of some seconds one of these is its p99.9",
		production: "everybody waited so long",
		do:         "LATENCY DOCTOR says more; LATENCY RESET begins anew",
	},
	{
		name: "redis-slowlog", weight: 31, about: ofRedis, check: slowlog,
		benchmark:  "some commands take longer than slowlog-log-slower-than: a load's tail may be theirs",
		production: "the same",
		do:         "SLOWLOG GET 10 shows them",
	},
	{
		name: "redis-latency-monitor", weight: 11, about: ofRedis, check: monitorOff,
		benchmark:  "forks, slow syncs and evictions are not noted: a stall has no name",
		production: "the same; it costs next to nothing",
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

func slowCommands(in *Input) evidence {
	var parts []string
	for _, name := range allKeys {
		if calls, took := in.Redis.Calls(name); calls > 0 {
			mean := float64(took.Microseconds()) / float64(calls) / 1e3
			often := "once"
			if calls != 1 {
				often = millions(calls) + " times"
			}
			parts = append(parts, fmt.Sprintf("%s %s, %.1f ms each", name, often, mean))
		}
	}
	if parts == nil {
		return nothing
	}
	return found("since the server started (%s ago): %s", ago(in.Now.Sub(in.Redis.Started).Seconds()), list(parts))
}

// latencyEvents finds events of the last day that took at least 100 ms.
func latencyEvents(in *Input) evidence {
	const long = 100
	var parts []string
	for _, e := range in.Redis.Latency {
		if e.Most >= long && in.Now.Sub(e.At) < 24*time.Hour {
			parts = append(parts, fmt.Sprintf("%s up to %d ms", e.Name, e.Most))
		}
	}
	if parts == nil {
		return nothing
	}
	return found("the server stood still: %s", list(parts))
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
