package device

import "plinth/internal/unit"

// hddRates are in MiB/s: baseline and burst per TiB, and the maximum of each.
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
			from(assumption, "an average seek (8.5 ms) and half a rotation at 7,200 rpm (4.2 ms); at most the longest seek and a full rotation. AWS publishes no latency, and the article gives \"not suitable\" instead", "read.median", "read.p99", "write.median", "write.p99"),
			from(ebsGuide, "operations of 1 MiB", "iops.rate", "operation_size"),
			from(ebsGuide, "depends on the size: "+number(rates.perTiB)+" MiB/s per TiB, "+number(rates.burstPerTiB)+" while credits last; a full bucket holds 1 TiB of credits per TiB", "throughput.rate", "throughput.burst_rate", "throughput.burst"),
			from(ebsGuide, ebsCopies, "durability"),
		},
		Disagreement: []string{"\"Storage Selection for Database Workloads\" lists " + number(rates.mostBurst) + " MB/s, the maximum of the type, for 500 GB; by AWS's rule a volume of that size bursts at " + number(rates.burstPerTiB*500/1024) + " MiB/s."},
		Choice:       "AWS's rule. AWS merges sequential operations up to 1 MiB; the model does not, so short sequential operations reach the IOPS limit.",
		Offer:        Offer{Priced: true, LeastSize: 125 * unit.GiB, MostSize: 16 * unit.TiB, Size: 500 * unit.GiB, Source: ebsGuide, follow: follow},
		Prices:       []Price{{price, listedVolume, selection, ""}},
		steps: func() []Step {
			return []Step{
				{"write() call", micros(1), micros(1), selection},
				{"kernel, submit", micros(5), micros(5), selection},
				{"network; a seek and half a rotation", micros(12992), micros(12992), assumption},
				{"kernel, completion", micros(2), micros(2), selection},
			}
		},
	}
	follow(&e.Device, e.Offer.Size)
	return e
}
