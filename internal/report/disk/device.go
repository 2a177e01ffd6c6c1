package disk

import (
	"fmt"
	"strings"
	"time"

	"plinth/internal/device"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
	"plinth/internal/unit"
)

// Device describes a device.
func Device(e device.Entry) prose.Document {
	var d prose.Document
	d.Add(prose.Heading(e.Device.Name+": "+e.Title), deviceFigures(e))
	if lines := postgresLines(e.Device); lines != nil {
		d.Add(prose.Heading("What it means for PostgreSQL"), prose.List(lines))
	}
	if lines := burstLines(e.Device); lines != nil {
		d.Add(prose.Heading("Bursts"), prose.List(lines))
	}
	addSteps(&d, e.Steps())
	if len(e.Disagreement) > 0 {
		d.Add(prose.Heading("Where sources disagree"), prose.List(e.Disagreement))
	}
	if e.Choice != "" {
		d.Add(prose.Paragraph("The model uses: " + e.Choice))
	}
	if lines := offerLines(e.Offer); lines != nil {
		d.Add(prose.Heading("Configurable limits"), prose.List(lines), prose.Paragraph("Source: "+e.Offer.Source.String()+"."))
	}
	if lines := priceLines(e.Prices); lines != nil {
		d.Add(prose.Heading("Published prices"), prose.List(lines))
	}
	var sources prose.List
	for _, f := range e.Figures {
		text := strings.Join(f.Keys, ", ") + ": " + f.Source.String()
		if f.Note != "" {
			text += ": " + f.Note
		}
		sources = append(sources, text+".")
	}
	if sources != nil {
		d.Add(prose.Heading("Source of each figure"), sources)
	}
	return d
}

// deviceFigures returns a device's figures with their units.
func deviceFigures(e device.Entry) prose.Block {
	d := e.Device
	t := prose.WordTable{Columns: []prose.Column{{Title: "Figure"}, {Title: "Value"}}}
	add := func(name, value string) {
		if value != "" {
			t.Rows = append(t.Rows, []string{name, value})
		}
	}
	whole := d
	if a := d.Array; a != nil {
		add("array", fmt.Sprintf("RAID %d of %d", a.Level, a.Members))
		if a.Chunk != 0 {
			add("chunk", a.Chunk.Exact())
		}
		add("survives", d.Durability)
		d = *a.Of
		add("each member", d.Name)
	}
	add("read", latencyLine(d.Read))
	add("write", latencyLine(d.Write))
	add("flush", latencyLine(d.Flush))
	if d.WriteCache {
		add("write cache", "yes: a durable write includes a flush")
	}
	if d.Replicas > 0 {
		add("replicas", fmt.Sprintf("%d; a write waits for the slowest", d.Replicas))
	}
	add("round trip", latencyLine(d.RoundTrip))
	add("in all", wholeLine(whole))
	add("IOPS", iopsLine(d.IOPS))
	add("throughput", flowLine(d.Throughput))
	if d.OperationSize != 0 {
		add("one operation", "of up to "+d.OperationSize.Exact()+"; a longer one counts as several")
	}
	if d.QueueDepth != 0 {
		add("queue depth", fmt.Sprintf("%d at once; others wait", d.QueueDepth))
	}
	add("survives", d.Durability)
	if e.Figures == nil { // otherwise each figure has its own
		add("from", phrase.Join(", ", d.Source, d.Measured))
		add("measured on", diskLine(whole.Disk))
	}
	if len(t.Rows) == 0 || !d.Adds() {
		add("model", "none: it adds no delay and no limit")
	}
	return t
}

// diskLine describes the disk on which figures were measured; "" if it is unknown.
func diskLine(d device.Disk) string {
	if d == (device.Disk{}) {
		return ""
	}
	if d.Model == "" {
		return d.String()
	}
	return phrase.Join(", ", d.String(), d.Transport)
}

func latencyLine(l device.Latency) string {
	switch {
	case l.Median == 0:
		return ""
	case l.P99 <= l.Median:
		return l.Median.String() + ", always"
	}
	return fmt.Sprintf("median %s, p99 %s, mean %s", l.Median, l.P99, rounded(l.Mean()))
}

// wholeLine returns the total latency of reads and writes, if it has several components.
func wholeLine(d device.Device) string {
	if d.Replicas == 0 && d.Array == nil {
		return ""
	}
	of := func(kind device.Kind) string {
		return fmt.Sprintf("%s, %s at p99", rounded(d.Quantile(kind, 0.5)), rounded(d.Quantile(kind, 0.99)))
	}
	return "read " + of(device.Read) + "; write " + of(device.Write)
}

func iopsLine(l device.Limit) string {
	if !l.Bounds() {
		return ""
	}
	text := phrase.Count(l.Rate) + " a second"
	if l.Burst > 0 {
		text += fmt.Sprintf(", bursts of %s from a bucket of %s", phrase.Count(l.BurstRate), phrase.Count(l.Burst))
	}
	return text
}

func flowLine(l device.FlowLimit) string {
	if !l.Bounds() {
		return ""
	}
	text := l.Rate.String()
	if l.Burst > 0 {
		text += fmt.Sprintf(", bursts of %s from a bucket of %s", l.BurstRate, l.Burst)
	}
	return text
}

// rounded rounds a duration to about three digits.
func rounded(d time.Duration) unit.Duration {
	step := time.Duration(1)
	for d/step >= 1000 {
		step *= 10
	}
	switch {
	case d >= time.Hour:
		step = time.Minute
	case d >= time.Minute:
		step = time.Second
	}
	return unit.Duration(d.Round(step))
}
