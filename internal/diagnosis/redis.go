package diagnosis

import (
	"fmt"
	"slices"

	"plinth/internal/diagnosis/share"
)

var redis = []string{"Redis", "Valkey"}

// redisOf returns a rule for Redis and Valkey.
func redisOf(cause string, examine func(*observation) claim, needs ...string) rule {
	c, own := redisCauses[cause]
	if !own {
		c = causes[cause]
	}
	return rule{name: cause, Cause: c, servers: redis, needs: needs, examine: examine}
}

// redisRules are in the order in which they claim: from the specific to the general.
var redisRules = []rule{
	redisOf("cpu-quota", ofThread(throttled), "cgroup.cpu.nr_throttled"),
	redisOf("cpu-credits", ofThread(spent)),
	redisOf("swap", onThread(swapped), "vmstat.pswpin"),
	redisOf("reclaim", withoutSwap(onThread(reclaimed)), "pressure.memory.some"),
	redisOf("full-resync", during("a replica is synchronised in full", happens, "info.sync_full"), "info.sync_full"),
	redisOf("thp", copiedHuge, "persistence.cow_bytes"),
	redisOf("aof-rewrite", child("the append-only file is rewritten", "persistence.aof_rewrite_in_progress"), "persistence.aof_rewrite_in_progress"),
	redisOf("save", child("an RDB file is saved", "persistence.rdb_bgsave_in_progress"), "persistence.rdb_bgsave_in_progress"),
	redisOf("disk-burst", burst),
	redisOf("disk-neighbour", sharedFile),
	redisOf("data-disk-iops", onFile(limited("data", "iops"))),
	redisOf("data-disk-throughput", onFile(limited("data", "throughput"))),
	redisOf("aof-fsync", fsynced),
	redisOf("aof-stall", delayed),
	redisOf("slow-command", slowCommand),
	redisOf("eviction", makesRoom, "info.evicted_keys"),
	redisOf("replica", replicated, "info.total_net_repl_output_bytes"),
	redisOf("aof-append", appended, "persistence.aof_bytes"),
	redisOf("cpu-steal", onThread(stolen), "stat.cpu.steal"),
	redisOf("cpu-neighbour", onThread(crowded), "process.others.cpu", "process.server.cpu"),
	redisOf("cpu-frequency", onThread(slowed), "cpufreq.mean"),
	redisOf("numa", onThread(remote)),
	redisOf("stall", stalled),
	redisOf("fork", forked, "info.total_forks", "info.latest_fork_usec"),
	redisOf("output-buffers", buffered, "info.mem_clients_normal"),
	redisOf("large-values", copiedValues, "info.total_net_input_bytes", "info.total_net_output_bytes"),
	redisOf("cpu", crowdedOut, "stat.cpu.user"),
	redisOf("network", crossed),
	redisOf("generator", sent),
	redisOf("thread", filled),
	redisOf("thread-work", served),
	redisOf("outside", away, "stat.cpu.user"),
}

// work are the parts in which the server's thread is on a CPU.
var work = []string{share.Command, share.EventLoop, share.Fork}

// onThread returns a rule of PostgreSQL for the server's thread: the thread takes the place of a backend on the
// CPU, and a command that waits for a page takes that of a read.
func onThread(examine func(*observation) claim) func(*observation) claim {
	return func(o *observation) claim {
		c := examine(o)
		for from, parts := range map[string][]string{share.CPU: work, share.DataRead: {share.CommandWait}} {
			fraction, claimed := c.claims[from]
			delete(c.claims, from)
			for _, part := range parts {
				if claimed {
					c.claims[part] = fraction
				}
			}
		}
		return c
	}
}

// withoutSwap returns a rule about memory that does not apply where swapping explains most of the waits for memory: that
// is its own cause.
func withoutSwap(examine func(*observation) claim) func(*observation) claim {
	return func(o *observation) claim {
		of, _ := o.pressed()
		if in := o.mean("vmstat.pswpin"); in >= 1 && in*swapTime >= of/2 {
			return not("%.0f pages a second are read from swap", in)
		}
		return examine(o)
	}
}

// busyThread returns how much of its time the server's thread is busy, as a share.
func (o *observation) busyThread() float64 {
	return o.mainCPU() + o.waits()
}

// mainCPU returns the CPU time of the server's thread.
func (o *observation) mainCPU() float64 {
	if cpu := o.mean("info.used_cpu_sys_main_thread", "info.used_cpu_user_main_thread"); cpu > 0 {
		return cpu
	}
	return min(1, o.mean("process.server.cpu"))
}

// waits returns the time in which the server's thread waited for a CPU.
func (o *observation) waits() float64 {
	cpu, all := o.mainCPU(), o.mean("process.server.cpu")
	return min(max(0, 1-cpu), o.mean("process.server.run_delay")*cpu/max(cpu, all, 1e-9))
}

// loopCPU returns the CPU time of the server's thread beside commands and forks.
func (o *observation) loopCPU() float64 {
	working := o.part(work...)
	if working == 0 {
		return 0
	}
	return o.mainCPU() * o.part(share.EventLoop) / working
}

// cpuOf returns the claims of something that takes CPU time of the event loop: of that, and of what the thread
// waits for a CPU, its share.
func (o *observation) cpuOf(seconds float64) map[string]float64 {
	claims := some(seconds/max(o.loopCPU(), 1e-9), share.EventLoop)
	claims[share.RunDelay] = min(1, seconds/max(o.mainCPU(), 1e-9))
	return claims
}

// filled examines whether the server's thread is busy all the time.
func filled(o *observation) claim {
	cpu, busy := o.mainCPU(), o.busyThread()
	if busy < full || cpu < 0.5 {
		return not("the server's thread was busy for %s of the time", percent(busy))
	}
	return claim{
		usual:    true,
		claims:   all(share.Command, share.CommandWait, share.EventLoop, share.Fork, share.RunDelay),
		text:     fmt.Sprintf("the server's main thread is saturated: %.2f of 1 CPU, and %s of the time it waits for one", cpu, percent(o.waits())),
		evidence: o.threadEvidence(),
	}
}

// served examines the time of a thread that has room.
func served(o *observation) claim {
	if o.part(share.Command, share.CommandWait, share.EventLoop, share.Fork, share.RunDelay) <= 0 {
		return not("no time of the server's thread was counted")
	}
	return claim{
		usual:    true,
		claims:   all(share.Command, share.CommandWait, share.EventLoop, share.Fork, share.RunDelay),
		text:     fmt.Sprintf("requests are in the server's thread, which is busy for %s of the time", percent(o.busyThread())),
		evidence: o.threadEvidence(),
	}
}

func (o *observation) threadEvidence() []Evidence {
	all := []Evidence{{Metric: "main-thread-cpu", Value: o.mainCPU(), Unit: "s/s", Against: 1, Of: "its time"}}
	if delay := o.mean("process.server.run_delay"); delay > 0 {
		all = append(all, Evidence{Metric: "process.server.run_delay", Value: delay, Unit: "s/s", Against: 1, Of: "its time"})
	}
	return all
}

// crossed examines the network to load generators on other machines.
func crossed(o *observation) claim {
	if o.part(share.Network) <= 0 {
		if why := o.missing(share.Network); why != "" {
			return skip("%s", why)
		}
		return not("no round trip of a network was measured")
	}
	trip := o.division.Part(share.Network).Time
	return claim{
		claims: all(share.Network), text: "requests cross the network: a round trip takes " + Duration(trip),
		evidence: []Evidence{{Metric: "generators.network.round_trip_ns", Value: trip, Unit: "ns", Against: o.division.Response, Of: "the response time"}},
	}
}

// sent examines the load generator, which each request passes through.
func sent(o *observation) claim {
	c := generated(o)
	c.usual = true
	return c
}

// crowdedOut examines CPUs that are all busy: the server's thread and the load generator wait for one. Redis
// needs no more than one, so more of them save only these waits.
func crowdedOut(o *observation) claim {
	c := saturated(o)
	if c.claims == nil {
		return c
	}
	c.usual = true
	c.claims = all(share.RunDelay, share.GeneratorDelay)
	return c
}

// away examines time in which neither the server nor the load generator did anything.
func away(o *observation) claim {
	const leastOf = 0.3
	of := o.left[share.Unexplained] / o.division.InFlight
	if of < leastOf {
		return not("%s of the response time is not explained", percent(of))
	}
	busy := o.busyThread()
	if busy > full {
		return not("the server's thread is saturated")
	}
	text := fmt.Sprintf("the server's thread is idle for %s of the time", percent(1-busy))
	if o.missing(share.Generator) == "" {
		text += ", and requests are not in the load generator either"
	}
	return claim{claims: all(share.Unexplained), text: text, evidence: o.threadEvidence()}
}

// happens reports whether a column is above 0.
func happens(o *observation, column string) func(int) bool { return o.above(column, 0) }

// goesOn reports whether something was in progress in a second: for a tenth of it, or, if hardly any second is without
// that, for most of it.
func goesOn(o *observation, column string) func(int) bool {
	_, on := goesOnOrOff(o, column)
	return on
}

// goesOnOrOff is goesOn, and reports whether there are enough seconds in which it was not in progress.
func goesOnOrOff(o *observation, column string) (apart bool, on func(int) bool) {
	on = o.above(column, 0.1)
	if in, out := o.divide(on, column); min(len(in), len(out)) >= fewestAside {
		return true, on
	}
	return false, o.above(column, 0.5)
}

// rulesOf returns the rules for a server.
func rulesOf(server string) []rule {
	return slices.DeleteFunc(slices.Concat(rules, redisRules), func(r rule) bool { return !slices.Contains(r.servers, server) })
}
