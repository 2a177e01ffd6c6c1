package disk

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"plinth/internal/device"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
)

func offerLines(o device.Offer) []string {
	if !o.Priced {
		return nil
	}
	lines := []string{fmt.Sprintf("provisioned: %s to %s; the figures above are of %s", o.LeastSize.Exact(), o.MostSize.Exact(), o.Size.Exact())}
	iops := "iops: follow from the size"
	if o.MostIOPS > 0 {
		iops = fmt.Sprintf("iops: %s to %s, and no more than %s for each GiB", phrase.Count(o.LeastIOPS), phrase.Count(o.MostIOPS), phrase.Count(o.IOPSPerGiB))
	}
	throughput := "throughput: follows from the size"
	switch {
	case o.MostThroughput > 0:
		throughput = fmt.Sprintf("throughput: %s to %s, and no more than %s per provisioned IOPS", o.LeastThroughput, o.MostThroughput, o.BytesPerIOPS.Exact())
	case o.MostIOPS > 0:
		throughput = "throughput: follows from the IOPS"
	}
	return append(lines, iops, throughput)
}

func priceLines(prices []device.Price) []string {
	var lines []string
	for _, p := range prices {
		text := fmt.Sprintf("$%s a month for %s: %s", dollars(p.Month), p.For, p.Source)
		if p.Note != "" {
			text += ": " + p.Note
		}
		lines = append(lines, text)
	}
	return lines
}

func dollars(amount float64) string {
	if amount == math.Trunc(amount) {
		return phrase.Count(amount)
	}
	return fmt.Sprintf("%.2f", amount)
}

func burstLines(d device.Device) []string {
	d = d.Member()
	var lines []string
	add := func(name string, l device.Limit, peak, rate string) {
		if l.Lasts() > 0 {
			lines = append(lines, fmt.Sprintf("%s: a full bucket lasts %s at %s, then the rate is %s. An empty bucket without load is full again after %s.",
				name, rounded(l.Lasts()), peak, rate, rounded(l.Refills())))
		}
	}
	add("IOPS", d.IOPS, phrase.Count(d.IOPS.BurstRate)+" a second", phrase.Count(d.IOPS.Rate))
	add("throughput", d.Throughput.Limit(), d.Throughput.BurstRate.String(), d.Throughput.Rate.String())
	return lines
}

// postgresLines explains a device's effect on commits and reads, by the published formulas.
func postgresLines(d device.Device) []string {
	e := device.Ideal(d)
	var lines []string
	if e.Commits > 0 {
		lines = append(lines, fmt.Sprintf("one connection commits at most %s times a second: 1 / the mean of a durable write, %s. More connections do not wait longer: they share a write (group commit). More disks do not shorten the wait.",
			phrase.Count(e.Commits), rounded(meanOf(e.Commits))))
	}
	if e.QD1Reads > 0 {
		lines = append(lines, fmt.Sprintf("a query that reads one page at a time gets %s pages of 8 KiB a second.", phrase.Count(e.QD1Reads)))
	}
	if e.Reads > 0 {
		text := fmt.Sprintf("concurrent queries read at most %s random pages a second, sustained", phrase.Count(e.Reads))
		if e.Writes != e.Reads {
			text += fmt.Sprintf(", and write %s", phrase.Count(e.Writes))
		}
		lines = append(lines, text+".")
	}
	if e.Throughput > 0 {
		lines = append(lines, fmt.Sprintf("reading a table of 10 GiB takes at least %s, writing a checkpoint of 1 GiB at least %s.",
			rounded(meanOf(float64(e.Throughput)/(10<<30))), rounded(meanOf(float64(e.Throughput)/(1<<30)))))
	}
	return lines
}

// meanOf returns the mean interval at a rate per second.
func meanOf(perSecond float64) time.Duration {
	return time.Duration(float64(time.Second) / perSecond)
}

// addSteps adds the path of a durable write, with a bar for each step's share of the latency.
func addSteps(d *prose.Document, steps []device.Step) {
	total := 0.0
	for _, s := range steps {
		total += s.Typical().Seconds()
	}
	if total == 0 {
		return
	}
	t := prose.Table{Columns: []prose.Column{{Title: "Step"}, {Title: "us", Right: true}, {Title: "Share", Right: true}, {Title: ""}}}
	for _, s := range steps {
		share := s.Typical().Seconds() / total
		us := stepMicros(float64(s.Least) / 1e3)
		if s.Most > s.Least {
			us += " to " + stepMicros(float64(s.Most)/1e3)
		}
		t.Rows = append(t.Rows, []string{s.Name + assumed(s), us, fmt.Sprintf("%.1f %%", 100*share), strings.Repeat("█", int(math.Round(20*share)))})
	}
	d.Add(prose.Heading("Where the latency of a durable write goes"), t, prose.Paragraph(stepNote(steps)))
}

func stepMicros(us float64) string { return phrase.Count(math.Round(us)) }

// assumed marks a step without a published figure.
func assumed(s device.Step) string {
	if s.Source.Author == "plinth" {
		return " *"
	}
	return ""
}

// stepNote names the sources of the steps.
func stepNote(steps []device.Step) string {
	var sources []string
	star := ""
	for _, s := range steps {
		switch text := s.Source.String(); {
		case assumed(s) != "":
			star = " * assumed, or the remainder of the figures above: no source publishes the breakdown."
		case !slices.Contains(sources, text):
			sources = append(sources, text)
		}
	}
	return "Steps as in " + strings.Join(sources, "; ") + "." + star
}
