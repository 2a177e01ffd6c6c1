package device

import "plinth/internal/unit"

func io1() Entry {
	return provisionedEntry("io1", micros(500), micros(870), 50, Price{665, listedVolume, selection, ""})
}

func io2() Entry {
	e := provisionedEntry("io2", micros(450), micros(780), 500, Price{665, listedVolume, selection, ""})
	e.Disagreement = append(e.Disagreement, "AWS makes all io2 volumes Block Express since the end of 2023 (see io2-block-express); the article's table still lists both.")
	return e
}

// provisionedEntry returns io1 or io2. They differ in latency and in IOPS per GiB.
func provisionedEntry(name string, median, p99 unit.Duration, perGiB float64, price Price) Entry {
	e := Entry{
		Title: "Amazon EBS " + name + ", provisioned IOPS SSD volume", Survives: "server",
		Device: Device{
			Name: name, Read: Latency{median, p99}, Write: Latency{median, p99}, IOPS: Limit{Rate: 10000},
			OperationSize: ssdOperation, Durability: ebsDurability, Source: "plinth's catalog",
		},
		Figures: []Figure{
			from(selection, "the fsync latency in its table of volume types", "write.median"),
			from(assumption, "the same ratio of p99 to median as gp3; reads like writes, as no figures are published", "write.p99", "read.median", "read.p99"),
			from(assumption, "the published price buys about 9,300 at AWS's list price of $0.125 per GB and $0.065 per IOPS", "iops.rate"),
			from(ebsGuide, "256 KiB per IOPS up to 500 MiB/s; from 32,000 IOPS, 16 KiB each, up to 1,000 MiB/s", "throughput.rate"),
			from(ebsGuide, "", "operation_size"),
			from(ebsGuide, ebsCopies, "durability"),
		},
		Disagreement: []string{"The price is published without the IOPS that it includes."},
		Choice:       "10,000 IOPS by default.",
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

// provisionedThroughput derives the throughput of io1 and io2 from the IOPS.
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
			from(selection, "the mean fsync latency of the volume it measured; AWS promises an average below 0.5 ms", "write.median"),
			from(selection, "the same ratio to the median as between its commits' p99 (0.92 ms) and mean (0.38 ms)", "write.p99"),
			from(assumption, "reads like writes: no figures are published", "read.median", "read.p99"),
			from(selection, "the volume it measured; up to 256,000 are available", "iops.rate"),
			from(ebsGuide, "256 KiB per IOPS, up to 4,000 MiB/s", "throughput.rate"),
			from(ebsGuide, "", "operation_size"),
			from(ebsGuide, ebsCopies, "durability"),
		},
		Disagreement: []string{
			"\"Storage Selection for Database Workloads\" gives $1,280 a month with 64,000 IOPS included; AWS's price list (as of 2024) charges for every IOPS, about $3,600 in total. \"PostgreSQL OLTP Benchmark - Case Study\" gives $1,122 for 660 GB with 20,000 IOPS, for which the price list gives about $1,380.",
		},
		Choice: "Prices are shown as published; nothing is computed from them.",
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
