package device

import "plinth/internal/unit"

const diskDurability = "a power cut; not the loss of the host"

func localNVMe() Entry {
	return Entry{
		Title: "Local NVMe SSD of a cloud instance", Survives: "power cut",
		Device: Device{
			Name: "local-nvme", Read: Latency{micros(80), micros(200)}, Write: Latency{micros(26), micros(80)},
			IOPS: Limit{Rate: 166000}, Durability: diskDurability + ", nor, in a cloud, a stop of the instance", Source: "plinth's catalog",
		},
		Figures: []Figure{
			from(selection, "iostat's mean wait on a read-mostly disk, 0.082 ms", "read.median"),
			from(selection, "iostat's mean wait on a disk that only writes WAL; an fsync takes 0.028 ms on it", "write.median"),
			from(assumption, "the article gives only means and maxima: 1.24 ms, and 0.14 ms for writes alone", "read.p99", "write.p99"),
			from(selection, "128,000 reads and 38,000 writes a second at the same time: measured, not a published limit", "iops.rate"),
			from(ec2Guide, "instance store", "durability"),
		},
		Disagreement: []string{
			"\"Storage Selection for Database Workloads\" measured 166,000 operations a second on an i3en.xlarge with two drives of 1.9 TB; AWS lists (as of 2024) one drive of 2.5 TB for that type, with 85,000 random reads of 4 KiB a second.",
			"The article gives 0.026, 0.028, 0.034 and 0.035 ms for an fsync in different places: with ext4 without a journal, with XFS, with ext4, and in its conclusion. A WAL write alongside reads takes 0.041 ms.",
		},
		Choice: "The measured values. No throughput is published, so the model does not limit it.",
		steps:  func() []Step { return diskSteps("drive: into its protected cache", micros(26)) },
	}
}

func sasSSD() Entry {
	return Entry{
		Title: "Enterprise SSD with power-loss protection behind SAS", Survives: "power cut",
		Device: Device{
			Name: "sas-ssd", Read: Latency{micros(120), micros(300)}, Write: Latency{micros(60), micros(200)},
			IOPS: Limit{Rate: 97000}, Throughput: FlowLimit{Rate: 520e6}, Durability: diskDurability, Source: "plinth's catalog",
		},
		Figures: []Figure{
			from(assumption, "typical of such drives: none of the sources gives the latency of the disk alone", "read.median", "read.p99", "write.median", "write.p99"),
			from(sm863a, "random reads of 4 KiB and sequential reads, as published; sustained writes reach less than a third of that, which the model does not cover", "iops.rate", "throughput.rate"),
			from(assumption, "capacitors protect the cache, so a flush costs nothing", "durability"),
		},
		Disagreement: []string{
			"\"Bare Metal vs. AWS RDS: Storage Baseline\" calls its Samsung SM863a SAS; the data sheet lists it as SATA 6 Gb/s only.",
			"Its 7.48 ms for a transaction of one client are not the disk's latency: with CPUs pinned, part 2 measures 1.81 ms on the same disk (" + pinning.String() + ").",
		},
		Choice: "Neither figure is used for the latency of the disk. Measure your own: plinth probe PATH.",
		steps:  func() []Step { return diskSteps("drive: into its protected cache", micros(60)) },
	}
}

func sataSSD() Entry {
	return Entry{
		Title: "Client SATA SSD without power-loss protection", Survives: "power cut",
		Device: Device{
			Name: "sata-ssd", Read: Latency{micros(120), micros(400)}, Write: Latency{micros(60), micros(300)},
			Flush: Latency{micros(1500), micros(5000)}, WriteCache: true, QueueDepth: 32,
			IOPS: Limit{Rate: 90000}, Throughput: FlowLimit{Rate: mebibytes(530)},
			Durability: diskDurability + "; unflushed data is lost", Source: "plinth's catalog",
		},
		Figures: []Figure{
			from(assumption, "typical of such drives; their flush latencies differ by a factor of ten", "read.median", "read.p99", "write.median", "write.p99", "flush.median", "flush.p99", "write_cache", "iops.rate"),
			from(serialATA, "32 outstanding commands; 6 Gb/s are 600 MB/s after 8b/10b encoding, of which about 555 carry data", "queue_depth", "throughput.rate"),
			from(assumption, "", "durability"),
		},
		Choice: "No article measured one. Measure your own: plinth probe PATH.",
		steps: func() []Step {
			flush := Step{"drive: flush the cache to flash", micros(1500), micros(1500), assumption}
			return append(diskSteps("drive: into its cache", micros(60)), flush)
		},
	}
}

func passThrough() Entry {
	return Entry{
		Title: "No model: the real disk, through the emulator's I/O path", Survives: "as disk",
		Device: Device{Name: "pass-through", Source: "plinth's catalog"},
		Choice: "A fair baseline: an environment on it takes the same I/O path as an emulated device, so that only the model differs.",
	}
}

// diskSteps returns the steps of a durable write to a local drive; they add up to median.
func diskSteps(drive string, median unit.Duration) []Step {
	rest := median - micros(8)
	return []Step{
		{"write() call", micros(1), micros(1), selection},
		{"kernel, submit", micros(5), micros(5), selection},
		{drive, rest, rest, assumption},
		{"kernel, completion", micros(2), micros(2), selection},
	}
}
