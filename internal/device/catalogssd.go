package device

import (
	"time"

	"plinth/internal/unit"
)

// Common to all EBS volumes.
const (
	ebsDurability = "loss of a server of the zone; not of the zone"
	ebsCopies     = "AWS: copies on several servers of one zone. \"Storage Selection for Database Workloads\" puts the copies in two zones in one passage and in three in another"
	ssdOperation  = 256 * unit.KiB
	listedVolume  = "500 GB, us-east-1"
)

func micros(us float64) unit.Duration { return unit.Duration(us * float64(time.Microsecond)) }

func mebibytes(n float64) unit.Rate { return unit.Rate(n * float64(unit.MiB)) }

func gp2() Entry {
	e := Entry{
		Title: "Amazon EBS gp2, general purpose SSD volume of 500 GiB", Survives: "server",
		Device: Device{
			Name: "gp2", Read: Latency{micros(1200), micros(2100)}, Write: Latency{micros(2100), micros(3600)},
			OperationSize: ssdOperation, Durability: ebsDurability, Source: "plinth's catalog",
		},
		Figures: []Figure{
			from(selection, "the fsync latency in its table of volume types", "write.median"),
			from(assumption, "the same ratios of p99 and read to write as gp3", "write.p99", "read.median", "read.p99"),
			from(ebsGuide, "3 IOPS per GiB, 100 to 16,000; below 1,000 GiB bursts of 3,000 from 5.4 million credits", "iops.rate", "iops.burst_rate", "iops.burst"),
			from(ebsGuide, "250 MiB/s above 170 GiB, 128 MiB/s below", "throughput.rate"),
			from(ebsGuide, "", "operation_size"),
			from(ebsGuide, ebsCopies, "durability"),
		},
		Disagreement: []string{
			"\"Storage Selection for Database Workloads\" gives a volume of 500 GB a baseline of 128 MB/s; by AWS's rule that applies only to volumes up to 170 GiB.",
		},
		Choice: "AWS's rule; at this size it needs no credits.",
		Offer:  Offer{Priced: true, LeastSize: unit.GiB, MostSize: 16 * unit.TiB, Size: 500 * unit.GiB, Source: ebsGuide, follow: gp2Limits},
		Prices: []Price{{50, listedVolume, selection, ""}},
		steps:  func() []Step { return networkSteps(micros(2100)) },
	}
	gp2Limits(&e.Device, e.Offer.Size)
	return e
}

// gp2Limits derives the limits from the size. Between 170 and 334 GiB AWS's 250 MiB/s
// need burst credits too, which the model omits.
func gp2Limits(d *Device, size unit.Size) {
	const burst, credits = 3000, 5.4e6
	baseline := min(max(3*float64(size)/float64(unit.GiB), 100), 16000)
	d.IOPS = Limit{Rate: baseline}
	if baseline < burst {
		d.IOPS.BurstRate, d.IOPS.Burst = burst, credits
	}
	d.Throughput = FlowLimit{Rate: mebibytes(250)}
	if size <= 170*unit.GiB {
		d.Throughput.Rate = mebibytes(128)
	}
}

func gp3() Entry {
	return Entry{
		Title: "Amazon EBS gp3, general purpose SSD volume", Survives: "server",
		Device: Device{
			Name: "gp3", Read: Latency{micros(1000), micros(1600)}, Write: Latency{micros(1800), micros(3100)},
			IOPS: Limit{Rate: 3000}, Throughput: FlowLimit{Rate: mebibytes(125)},
			OperationSize: ssdOperation, Durability: ebsDurability, Source: "plinth's catalog",
		},
		Figures: []Figure{
			from(selection, "the fsync latency, and the mean of its path through EBS; \"PostgreSQL OLTP Benchmark - Case Study\" also calculates with 1.8 and 1.85 ms", "write.median"),
			from(selection, "the upper end of its path through EBS, 3.12 ms", "write.p99"),
			from(selection, "the same path without replication, which a read does not wait for: 0.45 to 1.62 ms", "read.median", "read.p99"),
			from(ebsGuide, "included in the price; both articles agree", "iops.rate", "throughput.rate"),
			from(ebsGuide, "", "operation_size"),
			from(ebsGuide, ebsCopies, "durability"),
		},
		Disagreement: []string{
			"\"Storage Selection for Database Workloads\" gives 1.8 ms for an fsync and 1 to 3 ms for any operation. \"PostgreSQL OLTP Benchmark - Case Study\" lists 1.5 to 2.5 ms, but measured 0.6 ms for random reads, on eight volumes as RAID 10. AWS promises single-digit milliseconds.",
			"\"Storage Selection for Database Workloads\" measured 248 MB/s for a minute on a volume of 125 MB/s. AWS states that gp3 does not burst (see gp3-burst).",
			"AWS announced gp3 volumes of up to 80,000 IOPS and 2,000 MiB/s in 2025; the articles and this catalog use 16,000 and 1,000.",
		},
		Choice: "Writes: 1.8 ms, which is undisputed; their mean is then 1.85 ms. Reads: neither 0.6 nor 1.5 to 2.5 ms, but the published path without replication, which lies between them. Set latency: 0.6ms for the measured value.",
		Offer: Offer{
			Priced: true, LeastSize: unit.GiB, MostSize: 16 * unit.TiB, Size: 500 * unit.GiB,
			LeastIOPS: 3000, MostIOPS: 16000, IOPSPerGiB: 500,
			LeastThroughput: mebibytes(125), MostThroughput: mebibytes(1000), BytesPerIOPS: unit.MiB / 4,
			Source: ebsGuide,
		},
		Prices: []Price{
			{40, listedVolume, selection, "plus $0.005 per IOPS above 3,000 and $0.04 per MB/s above 125"},
			{25.60, "400 GB in 8 volumes, us-west-2", caseStudy, "$0.064 per GB; the other article has $0.08"},
		},
		steps: gp3Steps,
	}
}

// gp3Burst returns gp3 with the burst that one article measured and AWS denies. It is a
// separate entry, so that it applies only when requested.
func gp3Burst() Entry {
	e := gp3()
	e.Title = "Amazon EBS gp3 with the throughput burst that one article measured"
	e.Device.Name = "gp3-burst"
	e.Device.Throughput.BurstRate = mebibytes(250)
	e.Device.Throughput.Burst = 7500 * unit.MiB
	e.Figures = append(e.Figures, from(selection, "248 and 246 MB/s in the first minute of a pg_dump, then 125: 7,500 MB above the baseline in a minute", "throughput.burst_rate", "throughput.burst"))
	e.Disagreement = append(e.Disagreement, "The article's dump contradicts its burst: 7.5 GB at 248 MB/s take half a minute, not one.")
	e.Choice += " The burst lasts the published minute. Its refill rate is not published: the model refills it with the unused baseline."
	return e
}
