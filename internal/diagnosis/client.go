package diagnosis

import (
	"fmt"
	"slices"

	"plinth/internal/diagnosis/share"
)

// churned examines whether each transaction opens a connection, for which PostgreSQL starts a process. pgbench
// says it itself; of another client, only the number of processes is known, which others may have started.
func churned(o *observation) claim {
	const leastOf = 0.8
	started := o.mean("stat.processes")
	command := o.Run.Driver.Command
	opens := slices.Contains(command, "--connect") || slices.Contains(command, "-C")
	switch {
	case !opens && len(command) > 0:
		return not("the load generator keeps its connections")
	case !opens && o.division.TPS < fewProcesses:
		return skip("at so few transactions a second, the processes that they start cannot be distinguished from others of the machine")
	case !opens && started < leastOf*o.division.TPS:
		return not("%.2f processes were started for each transaction", started/o.division.TPS)
	}
	return claim{
		claims:   all(share.CPU, share.RunDelay, share.Unexplained, share.LWLock, share.Other),
		text:     "each transaction opens a connection",
		evidence: []Evidence{{Metric: "stat.processes", Value: started, Unit: "1/s", Against: o.division.TPS, Of: "transactions"}},
	}
}

// fewProcesses is the number of processes that others may start in a second, from cron jobs to a shell.
const fewProcesses = 50

// generated examines the load generator. Its threads send for all clients, one after the other: a thread that
// is always busy holds them up, and their transactions wait in it.
func generated(o *observation) claim {
	used := o.mean("process.generator.cpu")
	threads := float64(max(1, o.Run.Threads))
	if o.part(share.Generator, share.GeneratorDelay, share.Client) <= 0 {
		if why := o.missing(share.Generator); why != "" {
			return skip("%s", why)
		}
		return not("no time of the load generator was counted")
	}
	c := claim{
		claims: all(share.Generator, share.GeneratorDelay, share.Client),
		text:   fmt.Sprintf("the load generator is on a CPU or waits for one: %.2f CPUs", used),
		evidence: []Evidence{
			{Metric: "process.generator.cpu", Value: used, Unit: "s/s", Against: threads, Of: "its threads"},
			{Metric: "process.generator.run_delay", Value: o.mean("process.generator.run_delay"), Unit: "s/s", Against: threads, Of: "its threads"},
		},
	}
	if used+o.mean("process.generator.run_delay") > full*threads {
		c.text = fmt.Sprintf("the load generator's threads are busy: %.2f of %.0f", used, threads)
		c.claims = all(share.Generator, share.GeneratorDelay, share.Client, share.Unexplained)
	}
	return c
}

// outside examines time in which neither the server nor the load generator did anything.
func outside(o *observation) claim {
	const leastOf = 0.3
	of := o.left[share.Unexplained] / o.division.InFlight
	busy, cpus, what := o.available()
	switch {
	case o.timeline.Parts[share.CPU] == nil || o.timeline.Parts[share.RunDelay] == nil:
		return skip("the CPU time and the run delay of the server are not known")
	case of < leastOf:
		return not("%s of the response time is not explained", percent(of))
	case busy > full*cpus:
		return not("%s are saturated", what)
	}
	return claim{
		claims: all(share.Unexplained),
		text:   fmt.Sprintf("no session was seen at work meanwhile, and %s have room", what),
		evidence: []Evidence{
			{Metric: "wait.active", Value: o.mean("wait.active"), Unit: "1", Against: o.division.InFlight, Of: "transactions in flight"},
			{Metric: "sessions.idle", Value: o.mean("sessions.idle"), Unit: "1"},
		},
	}
}

// stalled examines seconds in which nothing ended, and no reason is seen: no session waited, no CPU worked.
func stalled(o *observation) claim {
	typical := average(o.timeline.TPS)
	var in []int
	for i, second := range o.timeline.Seconds {
		if second < o.from || o.timeline.TPS[i] > 0.1*typical {
			continue
		}
		if o.level(share.Unexplained, []int{i}) > 0.7*o.timeline.InFlight[i] {
			in = append(in, i)
		}
	}
	if len(in) == 0 {
		return not("every second in which no transaction ended has an explanation")
	}
	first := o.timeline.Seconds[in[0]]
	sessions := 0.0
	for _, i := range in {
		sessions += o.level(share.Unexplained, []int{i}) / float64(o.division.Seconds)
	}
	return claim{
		claims: some(sessions/max(o.division.Part(share.Unexplained).Sessions, 1e-9), share.Unexplained),
		during: &episode{from: &first, seconds: len(in)},
		text:   "no transaction ended, no session waited, and the server used no CPU",
		evidence: []Evidence{
			{Metric: "tps", Value: average(pick(o.timeline.TPS, in)), Unit: "1/s", Against: typical, Of: "the window"},
		},
	}
}
