package disk

import (
	"fmt"
	"strconv"
	"time"

	"plinth/internal/driver/fio"
	"plinth/internal/probe"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
	"plinth/internal/unit"
)

// Probe reports a probe of a disk.
func Probe(r *probe.Result) prose.Document {
	var d prose.Document
	d.Add(prose.Heading("What this disk does"), prose.Paragraph(placeWords(r.Kubernetes)), prose.Paragraph(probeWords(r)))
	d.Add(operationTable(r))
	d.Add(prose.Paragraph("Latencies are in milliseconds per operation; for writes with fdatasync, they are those of the fdatasync alone."))
	d.Add(flowTable(r))
	addSustained(&d, r)
	addOther(&d, r)
	if len(r.Theory) > 0 {
		d.Add(prose.Heading("Theory"), theoryTable(r))
	}
	d.Add(prose.Heading("What it means for PostgreSQL"), prose.List(phrase.DiskMeaning(r.Meaning)))
	if len(r.Notes) > 0 {
		d.Add(prose.Heading("What weakens these figures"), noteList(r.Notes))
	}
	if r.Kubernetes != nil { // a user who runs fio in pods compares its job
		d.Add(prose.Heading("The job of fio"), prose.Paragraph("Each slice runs these loads in a new order, with another randseed."), prose.Code(r.Job))
	}
	return d
}

// placeWords says where a volume in a cluster is; "" for another disk.
func placeWords(k *probe.Kubernetes) string {
	if k == nil {
		return ""
	}
	return fmt.Sprintf("A volume of %s of the storage class %s, in a pod on the node %s of the cluster %s, Kubernetes %s.", k.Claim, k.ClassWords(), k.Node, k.Cluster, k.Version)
}

// probeWords describes what was measured, and how.
func probeWords(r *probe.Result) string {
	times := "once"
	if r.Slices > 1 {
		times = fmt.Sprintf("%d times", r.Slices)
	}
	return fmt.Sprintf("%s; %s measured each load %s for %s, in random order.", targetWords(r.Target), r.Program, times, r.Slice)
}

// targetWords describes what was measured.
func targetWords(t probe.Target) string {
	what := t.Path
	switch {
	case t.Filesystem != "" && t.Device != "":
		what += fmt.Sprintf(": %s on %s", t.Filesystem, t.Device)
	case t.Filesystem != "":
		what += ": " + t.Filesystem
	}
	if t.Model != "" {
		what += " (" + t.Model + ")"
	}
	path := "direct I/O"
	if !t.Direct {
		path = "through the page cache"
	}
	return fmt.Sprintf("%s; %s of it, %s", what, t.Size, path)
}

// operationTable returns the figures counted in operations.
func operationTable(r *probe.Result) prose.Table {
	t := prose.Table{Columns: []prose.Column{{Title: "load"}, {Title: "QD", Right: true}, {Title: "a second", Right: true},
		{Title: interval(r), Right: true}, {Title: "p50 ms", Right: true}, {Title: "p99 ms", Right: true}, {Title: "p99.9 ms", Right: true}}}
	for _, m := range r.Steps {
		if sequential(m.Step) {
			continue
		}
		t.Rows = append(t.Rows, []string{loadWords(m.Step), strconv.Itoa(m.Depth), phrase.Count(m.IOPS.Value),
			between(r, m.IOPS, 1), millis(m.P50), millis(m.P99), millis(m.P999)})
	}
	return t
}

// flowTable returns the figures counted in bytes.
func flowTable(r *probe.Result) prose.Table {
	t := prose.Table{Columns: []prose.Column{{Title: "load"}, {Title: "QD", Right: true}, {Title: "MiB/s", Right: true}, {Title: interval(r), Right: true}}}
	for _, m := range r.Steps {
		if sequential(m.Step) {
			t.Rows = append(t.Rows, []string{loadWords(m.Step), strconv.Itoa(m.Depth), phrase.Count(m.Rate.Value / mebi), between(r, m.Rate, mebi)})
		}
	}
	return t
}

const mebi = float64(unit.MiB)

func sequential(s probe.Step) bool {
	return !s.Durable && (s.Pattern == fio.Read || s.Pattern == fio.Write)
}

// loadWords describes the load of a step.
func loadWords(s probe.Step) string {
	size := fmt.Sprintf("%d KiB", s.Block/unit.KiB)
	switch {
	case s.Durable && s.Buffered:
		return size + " + fdatasync"
	case s.Durable:
		return size + " direct + fdatasync"
	}
	return map[fio.Pattern]string{
		fio.Read: "sequential read, " + size, fio.Write: "sequential write, " + size,
		fio.RandomRead: "random read", fio.RandomWrite: "random write",
		fio.RandomMixed: fmt.Sprintf("random, %d %% reads", s.Reads),
	}[s.Pattern]
}

// interval returns the heading of the column beside a figure.
func interval(r *probe.Result) string {
	for _, m := range r.Steps {
		if m.IOPS.Level == 0 {
			return "range"
		}
	}
	return "95 % interval"
}

// between formats the interval or range; "-" for a single slice, which has no spread.
func between(r *probe.Result, f probe.Figure, unit float64) string {
	if r.Slices == 1 {
		return "-"
	}
	return phrase.Count(f.Low/unit) + " to " + phrase.Count(f.High/unit)
}

// millis formats a latency in milliseconds: with three decimals below 10 ms, one below 100 ms,
// and none above.
func millis(d unit.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	switch {
	case ms < 10:
		return strconv.FormatFloat(ms, 'f', 3, 64)
	case ms < 100:
		return strconv.FormatFloat(ms, 'f', 1, 64)
	}
	return phrase.Count(ms)
}

func theoryTable(r *probe.Result) prose.Table {
	t := prose.Table{Columns: []prose.Column{{Title: "what"}, {Title: "formula"}, {Title: "expected", Right: true}, {Title: "measured", Right: true}, {Title: "efficiency", Right: true}}}
	for _, l := range r.Theory {
		number := phrase.Count
		if l.Unit == "B/s" {
			number = func(f float64) string { return phrase.Count(f/mebi) + " MiB/s" }
		}
		t.Rows = append(t.Rows, []string{l.What, l.Formula, number(l.Expected), number(l.Measured), fmt.Sprintf("%.0f %%", 100*l.Efficiency)})
	}
	return t
}
