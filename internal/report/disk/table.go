package disk

import (
	"math"
	"strconv"
	"time"

	"plinth/internal/device"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
	"plinth/internal/unit"
)

// Catalog returns the catalog as a table of 80 columns with an explanation.
func Catalog(entries []device.Entry) prose.Document {
	t := prose.Table{Columns: []prose.Column{
		{Title: "Device"}, {Title: "Read ms", Right: true}, {Title: "Write ms", Right: true}, {Title: "p99 ms", Right: true},
		{Title: "Durable ms", Right: true}, {Title: "IOPS", Right: true}, {Title: "MiB/s", Right: true}, {Title: "Survives"}, {Title: "$ a month", Right: true},
	}}
	for _, e := range entries {
		t.Rows = append(t.Rows, deviceRow(e))
	}
	var d prose.Document
	d.Add(t,
		prose.Paragraph("Latencies are medians for operations of 8 KiB on an idle device, including replication; p99 is for writes. Durable is a write plus, if the device has a write cache, a flush: one connection commits at most once in that time. IOPS and MiB/s are sustained rates, without bursts. Prices are those published for 500 GB. A hyphen means no limit, or not published."),
		limits(entries),
		prose.Paragraph("plinth devices NAME shows the source of each figure, where sources disagree, and the parts of the latency."),
		prose.Paragraph("In an experiment: storage: {data: {emulate: gp3, iops: 6000, throughput: 250MiB/s}}"))
	return d
}

// limits returns a table of what the largest volume of each type can be given.
func limits(entries []device.Entry) prose.Table {
	t := prose.Table{Title: "Maximum per volume", Columns: []prose.Column{
		{Title: "Device"}, {Title: "Max IOPS", Right: true}, {Title: "Max MiB/s", Right: true}, {Title: "Max size", Right: true},
	}}
	for _, e := range entries {
		o := e.Offer
		if !o.Priced {
			continue
		}
		d, err := device.Configure(e.Device.Name, device.Options{Provisioned: o.MostSize, IOPS: o.MostIOPS, Throughput: o.MostThroughput})
		if err == nil { // a test configures each
			t.Rows = append(t.Rows, []string{d.Name, orHyphen(d.IOPS.Rate), orHyphen(math.Round(float64(d.Throughput.Rate) / float64(unit.MiB))), o.MostSize.String()})
		}
	}
	return t
}

func deviceRow(e device.Entry) []string {
	d, price := e.Device, "-"
	write := d.Quantile(device.Write, 0.5)
	if len(e.Prices) > 0 {
		price = phrase.Count(e.Prices[0].Month)
	}
	return []string{
		d.Name, inMillis(d.Quantile(device.Read, 0.5)), inMillis(write), inMillis(d.Quantile(device.Write, 0.99)),
		inMillis(write + d.Quantile(device.Flush, 0.5)),
		orHyphen(d.IOPS.Rate), orHyphen(math.Round(float64(d.Throughput.Rate) / float64(unit.MiB))), e.Survives, price,
	}
}

// inMillis formats a latency in milliseconds: with two decimals above 0.1 ms, otherwise with
// three.
func inMillis(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	grain := 100.0
	if d < 100*time.Microsecond {
		grain = 1000
	}
	return strconv.FormatFloat(math.Round(d.Seconds()*1e3*grain)/grain, 'f', -1, 64)
}

func orHyphen(n float64) string {
	if n == 0 {
		return "-"
	}
	return phrase.Count(n)
}
