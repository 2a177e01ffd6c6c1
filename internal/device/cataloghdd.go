package device

import "plinth/internal/unit"

// hddRates are MiB/s: for each TiB, and at the most.
type hddRates struct{ perTiB, burstPerTiB, most, mostBurst float64 }

func hdd(name, kind string, rates hddRates, iops, price float64) Entry {
	follow := func(d *Device, size unit.Size) {
		tib := float64(size) / float64(unit.TiB)
		d.Throughput = FlowLimit{
			Rate: mebibytes(min(rates.perTiB*tib, rates.most)), BurstRate: mebibytes(min(rates.burstPerTiB*tib, rates.mostBurst)), Burst: size,
		}
	}
	e := Entry{
		Title: "Amazon EBS " + name + ", " + kind + " HDD volume of 500 GiB", Survives: "server",
		Device: Device{
			Name: name, Read: Latency{micros(13000), micros(25000)}, Write: Latency{micros(13000), micros(25000)},
			IOPS: Limit{Rate: iops}, OperationSize: unit.MiB, Durability: ebsDurability, Source: "plinth's catalog",
		},
		Figures: []Figure{
			from(assumption, "a seek (8.5 ms) and half a turn at 7,200 a minute (4.2 ms), and at the most the longest seek and a whole turn: AWS publishes no latency, and the article has \"not suitable\" in its place", "read.median", "read.p99", "write.median", "write.p99"),
			from(ebsGuide, "of 1 MiB", "iops.rate", "operation_size"),
			from(ebsGuide, "follows from the size: "+number(rates.perTiB)+" MiB/s for each TiB, "+number(rates.burstPerTiB)+" while there are credits, of which a full bucket has 1 TiB for each TiB", "throughput.rate", "throughput.burst_rate", "throughput.burst"),
			from(ebsGuide, ebsCopies, "durability"),
		},
		Disagreement: []string{"\"Storage Selection for Database Workloads\" lists " + number(rates.mostBurst) + " MB/s, the most of the type, for 500 GB; by AWS's rule a volume of that size has " + number(rates.burstPerTiB*500/1024) + " MiB/s while it bursts."},
		Choice:       "AWS's rule. AWS merges sequential operations up to 1 MiB; the model does not, so short sequential ones meet the IOPS limit.",
		Offer:        Offer{Priced: true, LeastSize: 125 * unit.GiB, MostSize: 16 * unit.TiB, Size: 500 * unit.GiB, Source: ebsGuide, follow: follow},
		Prices:       []Price{{price, listedVolume, selection, ""}},
		steps: func() []Step {
			return []Step{
				{"write() call", micros(1), micros(1), selection},
				{"kernel, submit", micros(5), micros(5), selection},
				{"network; a seek and half a turn", micros(12992), micros(12992), assumption},
				{"kernel, completion", micros(2), micros(2), selection},
			}
		},
	}
	follow(&e.Device, e.Offer.Size)
	return e
}
