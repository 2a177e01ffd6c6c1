package cloud

import (
	"fmt"
	"math"
	"strings"
	"time"

	"plinth/internal/instance"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
)

// Instance describes one instance: its figures, its limits and for how long it exceeds them, and
// the source of each figure.
func Instance(i instance.Instance) prose.Document {
	var d prose.Document
	d.Add(prose.Heading(title(i)), figures(i))
	if lines := limits(i); lines != nil {
		d.Add(prose.Heading("Limits, and what bursts for how long"), prose.List(lines))
	}
	if i.EBS.Known() {
		d.Add(prose.Paragraph(fmt.Sprintf("The limits on EBS apply to all EBS volumes together, reads and writes, whatever the volumes could do. AWS gives IOPS for requests of %s, and throughput for requests of %s.", instance.IOPSRequest, instance.ThroughputRequest)))
	}
	if i.Managed() {
		d.Add(prose.Paragraph(managed(i)))
	}
	var sources prose.List
	for _, f := range i.Figures() {
		text := strings.Join(f.Keys, ", ") + ": " + f.Source.String()
		if f.Note != "" {
			text += ": " + f.Note
		}
		sources = append(sources, text+".")
	}
	d.Add(prose.Heading("Source of each figure"), sources)
	return d
}

func title(i instance.Instance) string {
	switch i.Service {
	case instance.Database:
		return i.Name + ": " + i.Type + " as a managed database (Amazon RDS)"
	case instance.Cache:
		return i.Name + ": " + i.Type + " as a managed cache (Amazon ElastiCache)"
	}
	return i.Name + ": Amazon EC2 instance"
}

func figures(i instance.Instance) prose.Block {
	t := prose.WordTable{Columns: []prose.Column{{Title: "Figure"}, {Title: "Value"}}}
	add := func(name, value string) {
		if value != "" {
			t.Rows = append(t.Rows, []string{name, value})
		}
	}
	add("vCPUs", fmt.Sprint(i.VCPUs))
	add("memory", gibibytes(i.Memory)+" GiB")
	add("processor", i.Processor+", "+i.Architecture)
	add("NUMA nodes", phrase.When(i.NUMANodes > 0, "%d", i.NUMANodes))
	add("CoreMark", phrase.When(i.CoreMark > 0, "%s iterations a second on all vCPUs", phrase.Count(i.CoreMark)))
	add("local drives", drives(i.Drives))
	if c := i.Credits; c != nil {
		add("CPU credits", fmt.Sprintf("%s an hour, at most %s; baseline %s of each vCPU", phrase.Exact(c.PerHour), phrase.Exact(tenths(c.Most)), percent(c.Baseline)))
		mode := "by default; it can be changed"
		if c.Fixed {
			mode = "always"
		}
		add("credit mode", string(c.Mode)+", "+mode)
	}
	return t
}

func drives(d instance.Drives) string {
	if d.Number == 0 {
		return ""
	}
	kind := "SSD"
	if d.Disk {
		kind = "hard disk"
	}
	if d.NVMe {
		kind = "NVMe " + kind
	}
	return fmt.Sprintf("%s of %s GB%s", phrase.Plural(d.Number, kind), phrase.Count(float64(d.Size)/1e9), phrase.When(d.Number > 1, " each"))
}

// limits returns a line for each limit of the instance, sustained and in a burst.
func limits(i instance.Instance) []string {
	var lines []string
	if i.EBS.Known() {
		text := "EBS: " + ceiling(i.EBS.Baseline) + " sustained"
		if i.EBS.Bursts() {
			text += fmt.Sprintf("; %s for %g minutes at least once in %g hours", ceiling(i.EBS.Maximum), instance.EBSBurst.Minutes(), instance.EBSBurstEvery.Hours())
		}
		lines = append(lines, text)
	}
	if n := i.Network; n.Maximum > 0 {
		text := fmt.Sprintf("network: %s Gbit/s sustained", gigabits(n.Baseline))
		if n.Bursts() {
			text += fmt.Sprintf("; up to %s Gbit/s on best effort, typically for 5 to 60 minutes", gigabits(n.Maximum))
		}
		lines = append(lines, text)
	}
	if i.Credits != nil {
		lines = append(lines, creditLines(*i.Credits)...)
	}
	return lines
}

func ceiling(c instance.Ceiling) string {
	return phrase.Count(c.IOPS) + " IOPS and " + speed(megabytes(c.Throughput)) + " MB/s"
}

// speed formats a throughput with one decimal below 1,000: 81.3.
func speed(megabytes float64) string {
	if megabytes >= 1000 {
		return phrase.Count(megabytes)
	}
	return phrase.Exact(tenths(megabytes))
}

// tenths rounds to one decimal.
func tenths(f float64) float64 { return math.Round(f*10) / 10 }

// managed explains how a managed instance differs from its hardware.
func managed(i instance.Instance) string {
	text := "The hardware is that of " + i.Type + ". The service keeps a part of the memory for itself."
	if i.Service == instance.Database {
		text += " Aurora does not store data on EBS volumes, so their limit does not apply to it."
	}
	return text
}

// fullLoad returns how long a full balance lasts at full load.
func fullLoad(c instance.Credits) time.Duration {
	lasts, _ := c.With(c.Mode, c.Most).Lasts(float64(c.VCPUs)) // the baseline of no type is all vCPUs
	return lasts
}
