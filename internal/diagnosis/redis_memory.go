package diagnosis

import (
	"fmt"
	"strconv"

	"plinth/internal/diagnosis/share"
)

// copiedHuge examines huge pages: before Linux 5.8, a write to one after a fork copies 2 MiB instead of 4 KiB.
func copiedHuge(o *observation) claim {
	if c := o.copiesHuge(); c.skip != "" || c.not != "" {
		return c
	}
	column := "persistence.rdb_bgsave_in_progress"
	if o.peak(column) == 0 {
		column = "persistence.aof_rewrite_in_progress"
	}
	c := beside("huge pages are copied for a child that writes the data to a file", column)(o)
	c.evidence = append(c.evidence, Evidence{Metric: "persistence.cow_bytes", Value: o.peak("persistence.cow_bytes"), Unit: "bytes"})
	return c
}

// copiesHuge returns why no huge pages are copied, or why that is not known.
func (o *observation) copiesHuge() claim {
	huge := o.hugePages()
	switch {
	case o.peak("persistence.cow_bytes") <= 0:
		return not("no page was copied for a save or a rewrite")
	case o.Environment.Settings["disable-thp"] == "yes":
		return not("the server does not use transparent huge pages (disable-thp)")
	case huge == "":
		return skip("transparent_hugepage of the machine is not known")
	case huge != "always":
		return not("transparent_hugepage is %s", huge)
	case o.Inventory != nil && splitsHuge(o.Inventory.Kernel):
		return not("Linux %s splits a huge page that is written to after a fork, and copies 4 KiB of it", o.Inventory.Kernel)
	}
	return claim{}
}

// splitsHuge reports whether a kernel splits a huge page that is written to after a fork: Linux 5.8 and later (commit
// 3917c80280c9). It reports false for a release that it cannot read.
func splitsHuge(release string) bool {
	var major, minor int
	if n, _ := fmt.Sscanf(release, "%d.%d", &major, &minor); n < 2 {
		return false
	}
	return major > 5 || major == 5 && minor >= 8
}

// hugePages returns the machine's transparent_hugepage: as it was tuned, or as it was before; "" if it is not known.
func (o *observation) hugePages() (value string) {
	if o.Inventory != nil {
		value = o.Inventory.Memory.THP
	}
	if t := o.Environment.Tuning; t != nil {
		for _, k := range t.Knobs {
			if k.Key == "transparent_hugepage" && k.NotApplicable == "" {
				value = k.Value
			}
		}
	}
	return value
}

// evictTime returns the CPU time of an eviction, in seconds: to free a key, and to sample others. It was estimated
// from the CPU time in user mode that the thread takes for each request beside its command, with and without
// evictions, with values of 100 bytes, on one machine (0.8 µs without, 1.9 µs with 5 samples, 3.6 µs with 64). Another
// machine, or this one beside busy neighbours, is slower or faster: see pace.
func (o *observation) evictTime() float64 {
	const freeing, sampling = 1.05e-6, 0.031e-6
	samples, err := strconv.ParseFloat(o.Environment.Settings["maxmemory-samples"], 64)
	if err != nil {
		samples = 5
	}
	return (freeing + samples*sampling) * o.pace()
}

// pace returns how much longer the thread takes for its work than on the machine on which CPU times were estimated:
// there, the kernel took 1.45 µs for a read or write of a small request. It is 1 if that is not known.
func (o *observation) pace() float64 {
	const there = 1.45e-6
	calls := o.mean("info.total_reads_processed") + o.mean("info.total_writes_processed")
	kernel := o.kernelCPU()
	if !(calls > 0) || !(kernel > 0) {
		return 1
	}
	return min(3, max(0.5, kernel/calls/there)) // pipelines and large values take longer
}

// makesRoom examines keys that have to be evicted before a write.
func makesRoom(o *observation) claim {
	n := o.mean("info.evicted_keys")
	if n < 1 {
		return not("%.1f keys a second were evicted", n)
	}
	return claim{
		claims: o.cpuOf(n * o.evictTime()), basis: Correlated,
		text: fmt.Sprintf("%.0f keys a second are evicted (maxmemory), %.2f for each request: their data is lost", n, n/o.division.TPS),
		evidence: []Evidence{
			{Metric: "info.evicted_keys", Value: n, Unit: "1/s", Against: o.division.TPS, Of: "requests"},
		},
	}
}

// largeBuffers is the memory of clients' buffers from which they are examined.
const largeBuffers = 64 << 20

// buffered examines replies that wait in the server's memory: their clients do not read them fast enough.
func buffered(o *observation) claim {
	bytes := o.mean("info.mem_clients_normal")
	if bytes < largeBuffers {
		return not("the buffers of clients took %.1f MiB", bytes/(1<<20))
	}
	in, out := o.clientBytes()
	if !(in+out > 0) {
		return skip("what the server receives and sends is not known")
	}
	if out < in {
		return not("the server receives more than it sends: the buffers of clients (%.0f MiB) hold requests", bytes/(1<<20))
	}
	return claim{
		claims: some(out/(out+in), share.EventLoop, share.Unexplained), basis: Correlated,
		text: fmt.Sprintf("replies wait in %.0f MiB of buffers: clients do not read them fast enough", bytes/(1<<20)),
		evidence: []Evidence{
			{Metric: "info.mem_clients_normal", Value: bytes, Unit: "bytes", Against: o.mean("info.used_memory"), Of: "used_memory"},
			{Metric: "info.total_net_output_bytes", Value: out, Unit: "bytes/s"},
		},
	}
}

// largeValue is the mean size of a request with its reply, in bytes, from which copying them takes most of the
// time.
const largeValue = 16 << 10

// copiedValues examines requests and replies that are large: the thread copies them.
func copiedValues(o *observation) claim {
	in, out := o.clientBytes()
	bytes := in + out
	each := bytes / o.division.TPS
	if each < largeValue {
		return not("a request and its reply had %.0f bytes", each)
	}
	return claim{
		usual:  true,
		claims: all(share.Command, share.EventLoop),
		text:   fmt.Sprintf("a request and its reply have %.0f KiB, which the thread copies (%s)", each/(1<<10), Rate(bytes)),
		evidence: []Evidence{
			{Metric: "info.total_net_input_bytes", Value: in, Unit: "bytes/s"},
			{Metric: "info.total_net_output_bytes", Value: out, Unit: "bytes/s"},
		},
	}
}
