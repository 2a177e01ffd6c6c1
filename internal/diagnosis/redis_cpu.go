package diagnosis

import (
	"fmt"

	"plinth/internal/diagnosis/share"
)

// ofThread returns a rule about a CPU quota for the server's thread. While it is throttled, it is ready to run, so
// the time of throttling is a part of its run delay.
func ofThread(examine func(*observation) claim) func(*observation) claim {
	return func(o *observation) claim {
		c := examine(o)
		if c.claims == nil {
			return c
		}
		c.claims = all(share.RunDelay)
		if throttled, delay := o.mean("cgroup.cpu.throttled"), o.waits(); throttled > 0 && delay > 0 {
			c.claims = some(throttled/delay, share.RunDelay)
		}
		return c
	}
}

// kernelCPU returns the CPU time of the server's thread in the kernel: where it reads from sockets and files and
// writes to them.
func (o *observation) kernelCPU() float64 { return o.mean("info.used_cpu_sys_main_thread") }

// beyondSockets returns the share of the thread's CPU time in the kernel beyond that for requests and replies: as
// much as the load generator needs at the other end of the sockets, where it writes what the thread reads. In runs
// without a file or a replica, the thread needed 0.9 to 1.1 times as much.
func (o *observation) beyondSockets() float64 {
	mine, other := o.kernelCPU(), o.mean("process.generator.system")
	if mine <= 0 || other <= 0 {
		return 0
	}
	return max(0, 1-other/mine)
}

// diskCPU returns the CPU time of the kernel's threads and interrupts, and of the emulator of the data disk, if it is
// emulated: in a run that flushes for each reply, they have little else to do.
func (o *observation) diskCPU() float64 {
	if l := o.Environment.Limits; l != nil && l.CPUs != "" && !l.Shared {
		return 0 // on which CPUs they run is not known
	}
	kernel := o.mean("stat.cpu.system", "stat.cpu.irq", "stat.cpu.softirq")
	for _, owner := range []string{"server", "generator", "plinth", "replica", "neighbour", "emulator-data"} {
		kernel -= o.mean("process." + owner + ".system")
	}
	return max(0, kernel) + o.mean("process.emulator-data.cpu")
}

// clientBytes returns the bytes a second of requests and of replies. Those that the server counts as sent include the
// stream to replicas.
func (o *observation) clientBytes() (in, out float64) {
	out = o.mean("info.total_net_output_bytes") - o.mean("info.total_net_repl_output_bytes")
	return o.mean("info.total_net_input_bytes"), max(0, out)
}

// leastSent is the length of the shortest command that is sent to a replica, PING, in bytes.
const leastSent = 14

// replicated examines the stream to replicas.
func replicated(o *observation) claim {
	stream := o.mean("info.total_net_repl_output_bytes")
	if o.mean("info.connected_slaves") < 0.5 || stream <= 0 {
		return not("no replica received anything")
	}
	in, out := o.clientBytes()
	traffic := in + out
	claims := o.cpuOf(o.streamCPU(stream, traffic))
	text := fmt.Sprintf("the thread sends %s to replicas, beside %s of requests and replies", Rate(stream), Rate(traffic))
	evidence := []Evidence{{Metric: "info.total_net_repl_output_bytes", Value: stream, Unit: "bytes/s", Against: traffic, Of: "requests and replies"}}
	if beside := o.mean("process.replica.cpu"); beside > 0 {
		text += fmt.Sprintf("; one beside it uses %.2f CPUs", beside)
		evidence = append(evidence, Evidence{Metric: "process.replica.cpu", Value: beside, Unit: "s/s", Against: o.cpus(), Of: "CPUs"})
		o.alsoCrowded(claims, beside)
	}
	return claim{claims: claims, basis: Correlated, text: text, evidence: evidence}
}

// streamCPU returns the CPU time of the thread for the stream to replicas. It copies each write to the stream, in
// user mode, as it copies requests and replies: by their bytes. Once in each cycle of its event loop it writes what
// has come together to each replica: the kernel takes about as long for that as for another read or write.
func (o *observation) streamCPU(stream, traffic float64) float64 {
	bytes := stream / (stream + traffic)
	reads, writes := o.mean("info.total_reads_processed"), o.mean("info.total_writes_processed")
	kernel := o.kernelCPU()
	if kernel <= 0 || reads <= 0 {
		return bytes * o.loopCPU()
	}
	sent := min(max(0, writes-reads), stream/leastSent) // each read of a request has its reply
	return bytes*max(0, o.loopCPU()-kernel) + sent/(reads+writes)*kernel
}

// alsoCrowded adds to claims what processes that use that many CPUs have to do with waits for one. With a CPU for
// each thread of the server and of the load generator, none would wait without what runs beside them. With fewer
// CPUs, all that are busy wait for each other.
func (o *observation) alsoCrowded(claims map[string]float64, used float64) {
	busy, cpus, _ := o.available()
	of := 0.0
	switch {
	case o.threads() <= cpus:
		of = used / max(used, o.busy()-o.mainCPU()-o.mean("process.generator.cpu"), 1e-9)
	case busy > full*cpus:
		of = used / busy
	}
	claims[share.RunDelay] = min(1, claims[share.RunDelay]+of)
	claims[share.GeneratorDelay] = min(1, max(claims[share.GeneratorDelay], of))
}
