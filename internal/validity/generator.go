package validity

import (
	"fmt"

	"plinth/internal/record"
	"plinth/internal/unit"
)

const (
	// saturated is the share of the time that its threads could have run at most
	// at which the load generator did nothing else: the number is then its own.
	// The rest is what a reading a few times a second may miss.
	saturated = 0.95
	// idleCores is how much CPU must have been left over, in cores, before it was
	// the number of threads that held the generator back and not the machine.
	idleCores = 0.5
	// heldBack is the gap in Little's law above which clients were not waiting for
	// the server alone. Measured on 2 shared cores: 28 % at 10 clients, so that it
	// can only warn.
	heldBack = 0.05
)

var generatorReasons = []rule{{
	name:  "generator-saturated",
	hint:  "use more threads: one thread of the load generator runs on one core at most",
	needs: []string{"covered_s", "machine.cpus", "machine.idle_s", "generator.covered_s", "generator.threads", "generator.cpu_s", "generator.run_queue_s"},
	check: generatorSaturated,
}}

var generatorWarnings = []rule{{
	name:  "generator-held-back",
	hint:  "more threads, or a machine of its own for the load generator",
	when:  oneConnection,
	check: generatorHeldBack,
}}

// oneConnection: where each transaction connects anew, connecting is in no
// latency, and Little's law finds a gap that is none of the generator's.
func oneConnection(c Case) bool { return c.Experiment.Connect != "each" }

// generatorSaturated counts waiting in the run queue as being busy: a thread that
// was ready had no client left to wait for. It is the threads that count, not the
// cores: six on two cores that run for 17 % and wait for 40 % of the time have time
// left, and it is the machine that lacks cores. A load generator may have more threads
// than it was given for its clients (Go's runtime has, and hardly uses them): only
// those that drive clients count.
func generatorSaturated(c Case) string {
	e := c.Run.Evidence
	g := e.Generator
	threads := min(g.Threads, c.Run.Threads)
	busy := share(g.CPU+g.Waiting, float64(threads)*g.Covered)
	idle := share(idleTime(c), e.Covered)
	if busy < saturated || idle < idleCores {
		return ""
	}
	return fmt.Sprintf("%s of the load generator were busy or waiting for a CPU for %s of the time while %.2g of %d cores were idle",
		unit.Count(int64(threads), "thread"), percent(busy), idle, e.Machine.CPUs)
}

// idleTime is the CPU time, in seconds, in which nothing ran on the CPUs that
// plinth may use; a lower bound, since others may have been the idle ones. A core
// that waits for a disk is idle.
func idleTime(c Case) float64 {
	e := c.Run.Evidence
	others := share(cpuTime(c), e.Covered) - float64(e.Machine.CPUs) // cores plinth may not use
	// Two readings do not meet exactly: half a core is none.
	if others < 0.5 {
		others = 0
	}
	return e.Machine.Idle + e.Machine.IOWait - others*e.Covered
}

// cpuTime is the time of all CPUs of the machine together, in seconds.
func cpuTime(c Case) float64 {
	m := c.Run.Evidence.Machine
	return m.User + m.System + m.Idle + m.IOWait + m.Steal
}

// generatorHeldBack passes over what the edges of the window explain.
func generatorHeldBack(c Case) string {
	gap, known := Gap(*c.Run)
	if !known || gap-edge(*c.Run) <= heldBack {
		return ""
	}
	return fmt.Sprintf("for %s of the time clients were not waiting for the server (Little's law: %s %s a second x %s ms is less than %s)",
		percent(gap), plain(c.Run.Result.TPS), c.words().Units(), plain(c.Run.Result.Latency.Mean/1e6), unit.Count(int64(c.Run.Clients), "client"))
}

// Gap is the share of the clients' time that is in no latency: in a closed loop
// Little's law says that TPS x mean latency is the number of clients that wait
// for the server (J. Little, "A Proof for the Queuing Formula L = λW", 1961). The
// rest of them wait for the load generator, which has not read the answer or not
// sent the next query. The mean must be the transaction log's: pgbench's printed
// average is made from its TPS, and has no gap.
//
// 0 is no gap, 1 says that clients never waited. It is not known with an open
// loop, where clients wait for what is due, and where time of transactions is in no
// latency: that of those which failed, or a part of each.
func Gap(run record.Run) (float64, bool) {
	r := run.Result
	if r.Loop != "closed" || run.Clients < 1 || r.Failures > 0 || r.Transactions < 1 || r.Partial {
		return 0, false
	}
	return 1 - r.TPS*r.Latency.Mean/1e9/float64(run.Clients), true
}

// edge is how much of a gap the ends of the window may explain: at its end each
// client has a transaction under way, whose time is in no latency of the window.
func edge(run record.Run) float64 {
	return share(float64(run.Result.Latency.Max)/1e9, run.Result.Duration)
}
