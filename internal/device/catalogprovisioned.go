package device

import "plinth/internal/unit"

func io1() Entry {
	return provisionedEntry("io1", micros(500), micros(870), 50, Price{665, listedVolume, selection, ""})
}

func io2() Entry {
	e := provisionedEntry("io2", micros(450), micros(780), 500, Price{665, listedVolume, selection, ""})
	e.Disagreement = append(e.Disagreement, "AWS makes all io2 volumes Block Express since the end of 2023 (see io2-block-express); the article's table still has both.")
	return e
}

// provisionedEntry is io1 or io2: they differ in latency and in IOPS for each GiB.
func provisionedEntry(name string, median, p99 unit.Duration, perGiB float64, price Price) Entry {
	e := Entry{
		Title: "Amazon EBS " + name + ", provisioned IOPS SSD volume", Survives: "server",
		Device: Device{
			Name: name, Read: Latency{median, p99}, Write: Latency{median, p99}, IOPS: Limit{Rate: 10000},
			OperationSize: ssdOperation, Durability: ebsDurability, Source: "plinth's catalog",
		},
		Figures: []Figure{
			from(selection, "the fsync latency of its table of volume types", "write.median"),
			from(assumption, "the tail in the same proportion as gp3's; reads as writes: nobody publishes them", "write.p99", "read.median", "read.p99"),
			from(assumption, "the published price buys about 9,300 at AWS's list price of $0.125 a GB and $0.065 for each of the IOPS", "iops.rate"),
			from(ebsGuide, "256 KiB for each of the IOPS up to 500 MiB/s, from 32,000 on 16 KiB for each, up to 1,000 MiB/s", "throughput.rate"),
			from(ebsGuide, "", "operation_size"),
			from(ebsGuide, ebsCopies, "durability"),
		},
		Disagreement: []string{"The published price is given without the IOPS that it buys."},
		Choice:       "10,000 IOPS unless said.",
		Offer: Offer{
			Priced: true, LeastSize: 4 * unit.GiB, MostSize: 16 * unit.TiB, Size: 500 * unit.GiB,
			LeastIOPS: 100, MostIOPS: 64000, IOPSPerGiB: perGiB, Source: ebsGuide, follow: provisionedThroughput,
		},
		Prices: []Price{price},
		steps:  func() []Step { return networkSteps(median) },
	}
	provisionedThroughput(&e.Device, e.Offer.Size)
	return e
}

// provisionedThroughput of io1 and io2 follows from the IOPS.
func provisionedThroughput(d *Device, _ unit.Size) {
	rate := unit.Rate(d.IOPS.Rate)
	first := min(rate*unit.Rate(256*unit.KiB), mebibytes(500))
	d.Throughput = FlowLimit{Rate: max(first, min(rate*unit.Rate(16*unit.KiB), mebibytes(1000)))}
}

func io2BlockExpress() Entry {
	e := Entry{
		Title: "Amazon EBS io2 Block Express, provisioned IOPS SSD volume", Survives: "server",
		Device: Device{
			Name: "io2-block-express", Read: Latency{micros(200), micros(480)}, Write: Latency{micros(200), micros(480)},
			IOPS: Limit{Rate: 64000}, OperationSize: ssdOperation, Durability: ebsDurability, Source: "plinth's catalog",
		},
		Figures: []Figure{
			from(selection, "the mean fsync of the volume that it measured; AWS promises less than 0.5 ms in the mean", "write.median"),
			from(selection, "as far from the median as its commits' p99 (0.92 ms) from their mean (0.38 ms)", "write.p99"),
			from(assumption, "reads as writes: nobody publishes them", "read.median", "read.p99"),
			from(selection, "the volume that it measured; up to 256,000 are sold", "iops.rate"),
			from(ebsGuide, "256 KiB for each of the IOPS, up to 4,000 MiB/s", "throughput.rate"),
			from(ebsGuide, "", "operation_size"),
			from(ebsGuide, ebsCopies, "durability"),
		},
		Disagreement: []string{
			"\"Storage Selection for Database Workloads\" has $1,280 a month with 64,000 IOPS included; AWS's list (as of 2024) charges for each of them, about $3,600 in all. \"PostgreSQL OLTP Benchmark - Case Study\" has $1,122 for 660 GB with 20,000 IOPS, where the list gives about $1,380.",
		},
		Choice: "Prices are shown as published, and nothing is reckoned from them.",
		Offer: Offer{
			Priced: true, LeastSize: 4 * unit.GiB, MostSize: 64 * unit.TiB, Size: 500 * unit.GiB,
			LeastIOPS: 100, MostIOPS: 256000, IOPSPerGiB: 1000, Source: ebsGuide, follow: blockExpressThroughput,
		},
		Prices: []Price{
			{1280, listedVolume + ", 64,000 IOPS", selection, ""},
			{1122, "660 GB, 20,000 IOPS, us-west-2", caseStudy, ""},
		},
		steps: func() []Step { return networkSteps(micros(200)) },
	}
	blockExpressThroughput(&e.Device, e.Offer.Size)
	return e
}

func blockExpressThroughput(d *Device, _ unit.Size) {
	d.Throughput = FlowLimit{Rate: min(unit.Rate(d.IOPS.Rate)*unit.Rate(256*unit.KiB), mebibytes(4000))}
}
