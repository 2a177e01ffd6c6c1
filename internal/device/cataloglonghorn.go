package device

import (
	"fmt"

	"plinth/internal/unit"
)

// replicated returns the volumes that replicate each write to other hosts, as Longhorn
// does: a local disk plus a network round trip to the slowest replica.
func replicated() []Entry {
	return []Entry{
		longhorn(1, micros(900), micros(2000),
			"from the one-client rows of its simple updates (7.48 against 8.43 ms) and TPC-B (10.10 against 11.12 ms): 0.95 and 1.02 ms more than local",
			"a power cut; not the loss of the replica's host"),
		longhorn(2, micros(1800), micros(4000),
			"from the one-client rows (8.43 against 9.71 ms, 11.12 against 12.39 ms): 2.2 to 2.3 ms more than local, the mean of the slower of two replicas",
			"loss of a host"),
		longhorn(3, micros(1800), micros(4000),
			"the same round trip as with two replicas: no source has three",
			"loss of two hosts"),
	}
}

func longhorn(replicas int, median, p99 unit.Duration, why, durability string) Entry {
	disk := sasSSD().Device
	d := Device{
		Name: fmt.Sprintf("longhorn-%dr", replicas), Read: disk.Read, Write: disk.Write, IOPS: disk.IOPS,
		Throughput: FlowLimit{Rate: 104e6}, Replicas: replicas, RoundTrip: Latency{median, p99},
		Durability: durability, Source: "plinth's catalog",
	}
	source := bareMetal
	if replicas == 3 {
		source = assumption
	}
	return Entry{
		Title: fmt.Sprintf("Longhorn volume with %s on SSDs", unit.Count(replicas, "replica")), Device: d,
		Survives: []string{"power cut", "host", "two hosts"}[replicas-1],
		Figures: []Figure{
			from(assumption, "the underlying disk is sas-ssd", "read.median", "read.p99", "write.median", "write.p99", "iops.rate"),
			from(redisAOF, "577 SETs a second of 180,000 bytes with the AOF on Longhorn (1,275 on the local disk); the number of replicas is not given", "throughput.rate"),
			from(source, why+"; the tail is assumed", "round_trip.median", "round_trip.p99"),
			from(bareMetal, "", "replicas", "durability"),
		},
		Disagreement: []string{
			"\"Bare Metal vs. AWS RDS: Storage Baseline\" concludes that every replica adds 3 to 4 ms to a write. Its rows with one client show 0.95 ms for the first and 1.28 ms for the second (1.02 and 1.27 ms with TPC-B). The difference between its means over all rows (30.0, 32.5, 39.4 ms) is mostly queueing at 10 to 100 clients.",
			"The local write took 7.48 ms with one client in that article, and 1.81 ms in part 2 with the CPUs pinned: the model uses the differences, not the absolute values.",
		},
		Choice: "The rows with one client. The model's own queues add the waiting time of many clients.",
		steps:  func() []Step { return longhornSteps(d) },
	}
}

func longhornSteps(d Device) []Step {
	own := d.Write.Median
	steps := []Step{
		{"write() call", micros(1), micros(1), selection},
		{"kernel, submit", micros(5), micros(5), selection},
		{"network to a replica, Longhorn's engine", d.RoundTrip.Median, d.RoundTrip.Median, bareMetal},
		{"the replica's disk", own, own, assumption},
	}
	mean := unit.Duration(d.MeanSeconds(Write) * 1e9)
	if wait := mean - d.RoundTrip.Median - own; d.Replicas > 1 {
		steps = append(steps, Step{"waiting for the slowest replica", wait, wait, bareMetal})
	}
	return append(steps, Step{"kernel, completion", micros(2), micros(2), selection})
}
