package device

import "plinth/internal/unit"

const diskDurability = "a power cut; not the loss of the host"

func localNVMe() Entry {
	return Entry{
		Title: "Local NVMe SSD of a cloud instance", Survives: "power cut",
		Device: Device{
			Name: "local-nvme", Read: Latency{micros(80), micros(200)}, Write: Latency{micros(26), micros(80)},
			IOPS: Limit{Rate: 166000}, Durability: diskDurability + ", and in a cloud not a stop of the instance", Source: "plinth's catalog",
		},
		Figures: []Figure{
			from(selection, "iostat's mean wait of a disk that mostly reads, 0.082 ms", "read.median"),
			from(selection, "iostat's mean wait of a disk that only writes WAL; an fsync takes 0.028 ms there", "write.median"),
			from(assumption, "the article has only means and the longest of all: 1.24 ms, and 0.14 ms for writes alone", "read.p99", "write.p99"),
			from(selection, "128,000 reads and 38,000 writes a second at once: seen, not a limit that anybody states", "iops.rate"),
			from(ec2Guide, "an instance store", "durability"),
		},
		Disagreement: []string{
			"\"Storage Selection for Database Workloads\" saw 166,000 operations a second on an i3en.xlarge with two drives of 1.9 TB; AWS lists (as of 2024) one drive of 2.5 TB for that type, with 85,000 random reads of 4 KiB.",
			"It gives an fsync as 0.026, 0.028, 0.034 and 0.035 ms in different places: with XFS, with ext4, and beside reads.",
		},
		Choice: "What was seen. No throughput is published, so the model has no limit for it.",
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
			from(assumption, "usual for such drives: no source that is used here has a latency of the disk alone", "read.median", "read.p99", "write.median", "write.p99"),
			from(sm863a, "random reads of 4 KiB and sequential reads, as known; it writes less than a third as many for long, which the model does not have", "iops.rate", "throughput.rate"),
			from(assumption, "capacitors keep what is in the cache, so a flush costs nothing", "durability"),
		},
		Disagreement: []string{
			"\"Bare Metal vs. AWS RDS: Storage Baseline\" calls its Samsung SM863a SAS; the data sheet has it as SATA 6 Gb/s only.",
			"Its 7.48 ms for a transaction of one client are not the disk's: with CPUs pinned, part 2 has 1.81 ms on the same disk (" + pinning.String() + ").",
		},
		Choice: "Neither is used for the latency of the disk. Probe yours: plinth probe PATH.",
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
			Durability: diskDurability + "; what was not flushed is lost", Source: "plinth's catalog",
		},
		Figures: []Figure{
			from(assumption, "usual for such drives; they differ by a factor of ten in the flush", "read.median", "read.p99", "write.median", "write.p99", "flush.median", "flush.p99", "write_cache", "iops.rate"),
			from(serialATA, "32 commands at once; 6 Gb/s are 600 MB/s after coding, of which about 555 reach the data", "queue_depth", "throughput.rate"),
			from(assumption, "", "durability"),
		},
		Choice: "No article measured one. Probe yours: plinth probe PATH.",
		steps: func() []Step {
			flush := Step{"drive: flush the cache to flash", micros(1500), micros(1500), assumption}
			return append(diskSteps("drive: into its cache", micros(60)), flush)
		},
	}
}

func passThrough() Entry {
	return Entry{
		Title: "No model: the disk that is there, through the emulator's path", Survives: "as disk",
		Device: Device{Name: "pass-through", Source: "plinth's catalog"},
		Choice: "For like with like: an environment on it takes the same path as an emulated device, so that only the model differs.",
	}
}

// diskSteps are the steps to a drive in the machine that takes median in all.
func diskSteps(drive string, median unit.Duration) []Step {
	rest := median - micros(8)
	return []Step{
		{"write() call", micros(1), micros(1), selection},
		{"kernel, submit", micros(5), micros(5), selection},
		{drive, rest, rest, assumption},
		{"kernel, completion", micros(2), micros(2), selection},
	}
}
