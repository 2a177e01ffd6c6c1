package validity

import (
	"fmt"

	"plinth/internal/record"
	"plinth/internal/unit"
)

const (
	// saturated is the share of its threads' time at which the load generator counts as
	// fully busy, so that it limits the result rather than the server. The rest allows for
	// the resolution of a few readings per second.
	saturated = 0.95
	// idleCores is the CPU, in cores, that must have been idle for the number of threads
	// rather than the machine to be the limit.
	idleCores = 0.5
	// heldBack is the gap in Little's law above which clients waited for more than the
	// server. It can only warn: on 2 shared cores the gap was 28 % at 10 clients.
	heldBack = 0.05
)

var generatorReasons = []rule{{
	name:  "generator-saturated",
	when:  beside,
	hint:  "use more threads: each thread of the load generator runs on at most one core",
	needs: []string{"covered_s", "machine.cpus", "machine.idle_s", "generator.covered_s", "generator.threads", "generator.cpu_s", "generator.run_queue_s"},
	check: generatorSaturated,
}}

var generatorWarnings = []rule{{
	name:  "generator-held-back",
	hint:  "use more threads, or run the load generator on a separate machine",
	when:  oneConnection,
	check: generatorHeldBack,
}}

// oneConnection reports whether clients keep their connections. Where each transaction
// opens a new one, the time to connect is part of no latency, and Little's law shows a gap
// that the load generator does not cause.
func oneConnection(c Case) bool { return c.Experiment.Connect != "each" }

// generatorSaturated counts time in the run queue as busy, since a runnable thread is not
// waiting for any client. It compares with the threads, not with the cores: six threads on
// two cores that run for 17 % and wait for 40 % of the time are not saturated; there the
// machine lacks cores. Only the threads that drive clients count: a load generator may have
// more (Go's runtime has, and hardly uses them).
func generatorSaturated(c Case) string {
	e := c.Run.Evidence
	g := e.Generator
	threads := min(g.Threads, c.Run.Threads)
	busy := share(g.CPU+g.Waiting, float64(threads)*g.Covered)
	idle := share(idleTime(c), e.Covered)
	if busy < saturated || idle < idleCores {
		return ""
	}
	return fmt.Sprintf("the %s of the load generator spent %s of the time busy or waiting for a CPU while %s of %d cores were idle",
		unit.Count(int64(threads), "thread"), percent(busy), unit.Digits(idle, 2), e.Machine.CPUs)
}

// idleTime returns the idle CPU time, in seconds, of the CPUs that plinth may use. It is a
// lower bound: it assumes that all other CPUs were idle. A core that waits for a disk counts
// as idle.
func idleTime(c Case) float64 {
	e := c.Run.Evidence
	others := share(e.Machine.CPUTime(), e.Covered) - float64(e.Machine.CPUs) // cores plinth may not use
	// The two readings are not simultaneous, so less than half a core is none.
	if others < 0.5 {
		others = 0
	}
	return e.Machine.Idle + e.Machine.IOWait - others*e.Covered
}

// generatorHeldBack ignores the part of the gap that the end of the window may explain.
func generatorHeldBack(c Case) string {
	gap, known := Gap(*c.Run)
	if !known || gap-edge(*c.Run) <= heldBack {
		return ""
	}
	return fmt.Sprintf("for %s of the time clients were not waiting for the server (Little's law: %s %s a second x %s ms is less than %s)",
		percent(gap), plain(c.Run.Result.TPS), c.words().Units(), plain(c.Run.Result.Latency.Mean/1e6), unit.Count(int64(c.Run.Clients), "client"))
}

// Gap returns the share of the clients' time that is part of no latency, and whether it is known.
// By Little's law, in a closed loop TPS x mean latency is the number of clients that wait for the
// server (J. Little, "A Proof for the Queuing Formula L = λW", 1961). The other clients wait for
// the load generator, which has not yet read the reply or sent the next query. The mean must come
// from the transaction log: pgbench derives its printed average from its TPS, so that average never
// shows a gap.
//
// The gap is 0 if clients waited for the server all the time, and 1 if they never did. It
// is not known for an open loop, where clients also wait for the next transaction to be due,
// nor where part of the transactions' time is in no latency: failed transactions, or
// partial latencies.
func Gap(run record.Run) (float64, bool) {
	r := run.Result
	if r.Loop != "closed" || run.Clients < 1 || r.Failures > 0 || r.Transactions < 1 || r.Partial {
		return 0, false
	}
	return 1 - r.TPS*r.Latency.Mean/1e9/float64(run.Clients), true
}

// edge returns how much of a gap the end of the window may explain: each client then has a
// transaction in progress, whose time is part of no latency of the window.
func edge(run record.Run) float64 {
	return share(float64(run.Result.Latency.Max)/1e9, run.Result.Duration)
}
