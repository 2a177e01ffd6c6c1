package cloud

import (
	"fmt"
	"strconv"

	"plinth/internal/instance"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
	"plinth/internal/unit"
)

// Catalog returns instances as a table of 80 columns, and burstable ones also as a table of their
// CPU credits, with explanations.
func Catalog(all []instance.Instance) prose.Document {
	t := prose.Table{Columns: []prose.Column{
		{Title: "Instance"}, {Title: "vCPUs", Right: true}, {Title: "GiB", Right: true},
		{Title: "EBS IOPS", Right: true}, {Title: "burst IOPS", Right: true}, {Title: "EBS MB/s", Right: true}, {Title: "burst MB/s", Right: true},
		{Title: "net Gbit/s", Right: true}, {Title: "drives, GB", Right: true},
	}}
	for _, i := range all {
		t.Rows = append(t.Rows, row(i))
	}
	var d prose.Document
	d.Add(t, prose.Paragraph("EBS IOPS and MB/s are the sustained limits of the instance on all of its EBS volumes together, whatever the volumes could do; it reaches the burst for 30 minutes at least once in 24 hours. The network's bandwidth is the sustained one. Drives are local: their data is lost when the instance stops. A hyphen: no burst, none, or not published."))
	if credits := creditTable(all); len(credits.Rows) > 0 {
		d.Add(credits, prose.Paragraph("One credit is one vCPU at 100 % for one minute. Without credits, standard mode slows the instance down to the baseline; unlimited mode does not, but may cost extra."))
	}
	d.Add(prose.Paragraph("plinth instances NAME shows all figures of an instance with their sources, and how long its bursts last."))
	return d
}

func row(i instance.Instance) []string {
	cells := []string{i.Name, strconv.Itoa(i.VCPUs), gibibytes(i.Memory), phrase.None, phrase.None, phrase.None, phrase.None, phrase.None, phrase.None}
	if i.EBS.Known() {
		cells[3], cells[5] = phrase.Count(i.EBS.Baseline.IOPS), phrase.Count(megabytes(i.EBS.Baseline.Throughput))
	}
	if i.EBS.Known() && i.EBS.Bursts() {
		cells[4], cells[6] = phrase.Count(i.EBS.Maximum.IOPS), phrase.Count(megabytes(i.EBS.Maximum.Throughput))
	}
	if i.Network.Baseline > 0 {
		cells[7] = gigabits(i.Network.Baseline)
	}
	if d := i.Drives; d.Number > 0 {
		cells[8] = fmt.Sprintf("%dx%d", d.Number, d.Size/1e9)
	}
	return cells
}

// creditTable returns the CPU credits of the burstable instances.
func creditTable(all []instance.Instance) prose.Table {
	t := prose.Table{Title: "CPU credits of burstable instances", Columns: []prose.Column{
		{Title: "Instance"}, {Title: "an hour", Right: true}, {Title: "at most", Right: true},
		{Title: "baseline of each vCPU", Right: true}, {Title: "minutes at full load", Right: true}, {Title: "default mode"},
	}}
	for _, i := range all {
		if c := i.Credits; c != nil {
			t.Rows = append(t.Rows, []string{
				i.Name, phrase.Exact(c.PerHour), phrase.Count(c.Most), percent(c.Baseline), phrase.Count(fullLoad(*c).Minutes()), string(c.Mode),
			})
		}
	}
	return t
}

// gibibytes formats memory in GiB, without thousands separators.
func gibibytes(s unit.Size) string { return phrase.Exact(float64(s) / float64(unit.GiB)) }

// megabytes returns a throughput in MB/s (10^6 bytes), the unit of AWS's documentation.
func megabytes(r unit.Rate) float64 { return float64(r) / 1e6 }

// gigabits formats a bandwidth in Gbit/s.
func gigabits(megabits int) string { return phrase.Exact(float64(megabits) / 1000) }

// percent formats a share with at most one decimal.
func percent(share float64) string { return phrase.Exact(tenths(share*100)) + " %" }
