package diagnosis

import (
	"fmt"
	"slices"

	"plinth/internal/diagnosis/share"
	"plinth/internal/host"
)

// periods is how many periods of a CPU quota there are in a second, unless it was set otherwise: 100 ms each.
const periods = 10

// throttled examines the CPU quota of the server's control group.
func throttled(o *observation) claim {
	n := o.mean("cgroup.cpu.nr_throttled")
	switch {
	case o.Run.Credits != nil:
		return not("the server's CPUs are limited by credits")
	case n < 0.5:
		return not("the quota was used up in %.1f periods a second", n)
	}
	c := claim{
		claims:   o.held(),
		text:     fmt.Sprintf("the CPU quota is used up in %.1f of %d periods a second", min(periods, n), periods),
		evidence: []Evidence{{Metric: "cgroup.cpu.nr_throttled", Value: n, Unit: "1/s", Against: periods, Of: "periods of 100 ms"}},
	}
	if l := o.Environment.Limits; l != nil && l.CPUQuota > 0 {
		c.text = fmt.Sprintf("the CPU quota of %.3g CPUs is used up in %.1f of %d periods a second", l.CPUQuota, min(periods, n), periods)
		c.evidence = append(c.evidence, Evidence{Metric: "process.server.cpu", Value: o.mean("process.server.cpu"), Unit: "s/s", Against: l.CPUQuota, Of: "cpu_quota"})
	}
	return c
}

// exhausted returns the share of the time in which a CPU quota is used up. Meanwhile there is nothing to win from
// CPUs that are free.
func (o *observation) exhausted() float64 { return min(1, o.mean("cgroup.cpu.nr_throttled")/periods) }

// held claims what a quota causes: while it is used up on a CPU, all threads that queue there wait, and those that
// wait for one of them to release a lock or to flush the WAL. The rest would wait for a CPU without it as well. If the
// time of throttling is not known, it claims all waits for a CPU, and what is not explained.
func (o *observation) held() map[string]float64 {
	throttled, delay := o.mean("cgroup.cpu.throttled"), o.mean("process.server.run_delay")
	if throttled == 0 || delay == 0 {
		return all(share.RunDelay, share.Unexplained)
	}
	ready := o.mean("process.server.cpu") + delay
	cpus := max(1, min(o.cpus(), ready))
	claims := some(throttled/cpus, share.WALFlush, share.WALInsert, share.RowLock, share.Lock, share.LWLock, share.Content, share.Mapping)
	claims[share.RunDelay] = min(1, throttled*ready/cpus/delay) // ready/cpus threads queue on each CPU
	return claims
}

// spent examines CPU credits.
func spent(o *observation) claim {
	credits := o.Run.Credits
	if credits == nil {
		return not("the server has no CPU credits")
	}
	if _, why := o.w.Known("cgroup.cpu.nr_throttled"); why != "" {
		return skip("%s", why)
	}
	cpus, n := o.mean("credits.cpus"), o.mean("cgroup.cpu.nr_throttled")
	if n < 0.5 {
		return not("CPU credits were left")
	}
	return claim{
		claims: o.held(),
		text:   fmt.Sprintf("the CPU credits are spent: the server has %.2f CPUs", cpus),
		evidence: []Evidence{
			{Metric: "credits.cpus", Value: cpus, Unit: "s/s"},
			{Metric: "cgroup.cpu.nr_throttled", Value: n, Unit: "1/s", Against: periods, Of: "periods of 100 ms"},
		},
	}
}

// Shares of the CPU time that was wanted, from which a cause is examined. Below them, every machine has some.
const (
	leastSteal  = 0.05
	leastOthers = 0.25
)

// stolen examines what the hypervisor gave to others.
func stolen(o *observation) claim {
	steal, busy := o.mean("stat.cpu.steal"), o.busy()
	if !(busy+steal > 0) {
		return skip("the CPU time of the machine is not known")
	}
	if steal < leastSteal*(busy+steal) {
		return not("the hypervisor took %s of the CPU time that was wanted", percent(steal/max(busy+steal, 1e-9)))
	}
	return claim{
		claims:   some(steal/(busy+steal), share.CPU, share.RunDelay, share.Unexplained),
		text:     fmt.Sprintf("the hypervisor takes %.2f CPUs", steal),
		evidence: []Evidence{{Metric: "stat.cpu.steal", Value: steal, Unit: "s/s", Against: busy + steal, Of: "CPU time that was wanted"}},
	}
}

// crowded examines processes that are neither the server's nor the load generator's: those of others, and the
// background load of the experiment (pressure).
func crowded(o *observation) claim {
	server, own := o.mean("process.server.cpu"), o.mean("process.neighbour.cpu")
	others := o.mean("process.others.cpu") + own
	all := others + server + o.mean("process.generator.cpu") + o.mean("process.plinth.cpu")
	cpus, what, parts := o.cpus(), "CPUs", []string{share.RunDelay, share.GeneratorDelay}
	if busy, n := o.apart(); n > 0 { // those that run on other CPUs take nothing from the server
		others, all = min(others, max(0, busy-server)), max(busy, server)
		cpus, what, parts = n, "the server's CPUs", parts[:1]
	}
	if all <= 0 || others < leastOthers*all {
		return not("other processes used %s of the CPU time", percent(others/max(all, 1e-9)))
	}
	evidence := []Evidence{
		{Metric: "process.others.cpu", Value: max(0, others-own), Unit: "s/s", Against: cpus, Of: what},
		{Metric: "process.server.cpu", Value: server, Unit: "s/s", Against: cpus, Of: what},
	}
	if own = min(own, others); own > 0 {
		evidence = append(evidence, Evidence{Metric: "process.neighbour.cpu", Value: own, Unit: "s/s", Against: cpus, Of: what})
	}
	fraction := others / all
	if n := o.threads(); n > 0 && n <= cpus { // without the others, no thread would wait
		fraction = 1
	}
	fraction *= 1 - o.exhausted()
	return claim{
		claims:   some(fraction, parts...),
		text:     fmt.Sprintf("other processes and threads of the kernel use %.2f CPUs, and the server %.2f: it waits for a CPU", others, server),
		evidence: evidence,
	}
}

// apart returns how busy the CPUs are that the environment gives to the server alone, and how many these are; 0 if there
// are none, or if the CPUs were not read one by one.
func (o *observation) apart() (busy, cpus float64) {
	l := o.Environment.Limits
	if l == nil || l.Shared || o.Environment.Kind == "connected" { // others may run on the CPUs of an existing server
		return 0, 0
	}
	list, err := host.ParseRanges(l.CPUs)
	if err != nil {
		return 0, 0
	}
	for _, cpu := range list {
		column := fmt.Sprintf("stat.cpu%d.busy", cpu)
		if _, why := o.w.Known(column); why != "" {
			return 0, 0
		}
		busy += o.mean(column)
	}
	// A CPU that the hypervisor took counts as busy, and which one it took is not known.
	return max(0, busy-o.mean("stat.cpu.steal")), float64(len(list))
}

// threads returns how many threads of the server and of the load generator can be busy at a time; 0 if that is not
// known. A client is either at its backend or in the load generator; Redis has one thread.
func (o *observation) threads() float64 {
	if slices.Contains(redis, o.Environment.Server) {
		return float64(1 + o.Run.Threads)
	}
	return float64(o.Run.Clients)
}

// slowed examines the frequency of the CPUs: the highest one that they had in the run, or that the processor states, is possible.
func slowed(o *observation) claim {
	mean := o.mean("cpufreq.mean")
	peak, _ := o.w.Of("cpufreq.mean").Most()
	highest := peak.Value
	// With the governor performance, CPUs run as fast as they can: the stated highest frequency is that of one busy
	// core, which all of them together need not reach.
	if i := o.Inventory; i != nil && i.CPU.MaxMHz > highest && slices.ContainsFunc(i.CPU.Governors, func(g host.Shared) bool { return g.Value != "performance" }) {
		highest = i.CPU.MaxMHz
	}
	if mean <= 0 || o.busy() < 0.5*o.cpus() || mean > 0.85*highest {
		return not("the CPUs ran at %.0f of %.0f MHz", mean, highest)
	}
	return claim{
		claims:   some(1-mean/highest, share.CPU, share.RunDelay),
		text:     fmt.Sprintf("the CPUs run at %.0f MHz, and could at %.0f", mean, highest),
		evidence: []Evidence{{Metric: "cpufreq.mean", Value: mean, Unit: "MHz", Against: highest, Of: "the highest frequency"}},
	}
}

// remote examines memory of other NUMA nodes.
func remote(o *observation) claim {
	of, known := o.figures["remote-numa-share"]
	switch {
	case !known:
		return skip("remote-numa-share is not known: the processor's counters were not read")
	case of < 0.2:
		return not("%s of loads from memory were from another node", percent(of))
	}
	// Assumed, not measured: the CPU time is half waiting for memory, and a third of that is the longer way of a
	// load from another node.
	const longer = 0.5 / 3
	return claim{
		claims:   some(of*longer, share.CPU, share.RunDelay),
		text:     fmt.Sprintf("%s of loads from memory are from another NUMA node", percent(of)),
		evidence: []Evidence{{Metric: "remote-numa-share", Value: of, Unit: "1", Against: 0.2, Of: "what is usual"}},
	}
}

// full is the share of the CPUs from which they are saturated.
const full = 0.85

// available returns the CPU time that is in use, and the CPUs that the server and its load generator may use.
func (o *observation) available() (busy, cpus float64, what string) {
	if l := o.Environment.Limits; l != nil && l.CPUs != "" {
		for _, r := range o.resources {
			if r.Name == "cpu of the server" && r.Ceiling > 0 {
				return r.Mean, r.Ceiling, "the server's CPUs"
			}
		}
	}
	return o.busy(), o.cpus(), "the CPUs"
}

// saturated examines whether all CPUs are busy.
func saturated(o *observation) claim {
	busy, cpus, what := o.available()
	if cpus == 0 {
		return skip("the number of CPUs is not known")
	}
	switch {
	case busy < full*cpus:
		return not("%s were busy for %s of the time", what, percent(busy/cpus))
	case o.exhausted() > full:
		return not("the server may not use more of them")
	}
	claims := all(share.CPU, share.RunDelay, share.Generator, share.GeneratorDelay)
	if o.timeline.Parts[share.RunDelay] == nil { // in records of earlier versions
		claims[share.Unexplained] = 1
	}
	delay := "process.server.backends.run_delay"
	if slices.Contains(redis, o.Environment.Server) {
		delay = "process.server.run_delay"
	}
	return claim{
		claims: claims,
		text:   fmt.Sprintf("%s are saturated (%.2f of %.3g)", what, busy, cpus),
		evidence: []Evidence{
			{Metric: "process.server.cpu", Value: o.mean("process.server.cpu"), Unit: "s/s", Against: cpus, Of: what},
			{Metric: delay, Value: o.mean(delay), Unit: "s/s", Against: o.division.InFlight, Of: "transactions in flight"},
		},
	}
}

// worked examines the CPU time of transactions on CPUs that have room.
func worked(o *observation) claim {
	busy, cpus, what := o.available()
	text := "transactions are on a CPU"
	if cpus > 0 {
		text += fmt.Sprintf("; %s are busy for %s of the time", what, percent(busy/cpus))
	}
	return claim{
		claims:   all(share.CPU, share.RunDelay),
		text:     text,
		evidence: []Evidence{{Metric: "process.server.backends.cpu", Value: o.mean("process.server.backends.cpu"), Unit: "s/s", Against: o.division.InFlight, Of: "transactions in flight"}},
	}
}
