package disk

import (
	"strconv"

	"plinth/internal/probe"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
	"plinth/internal/unit"
)

// addOther adds the disk that a volume is compared with: the local disk under it, or any other one.
func addOther(d *prose.Document, r *probe.Result) {
	l, heading, column := r.Local, "Beside the local disk", "local"
	switch {
	case r.Beside != nil && r.Kubernetes != nil:
		l, heading, column = r.Beside, "Beside the node's own disk", "node"
	case r.Beside != nil:
		l, heading, column = r.Beside, "Beside the other disk", "other"
	case l == nil:
		return
	}
	d.Add(prose.Heading(heading))
	if l.Target == nil {
		d.Add(prose.Paragraph("The local disk is that of a model file: "+phrase.Join(", ", l.Device.Name, l.Device.Measured)+"."), modelTable(r))
		return
	}
	d.Add(prose.Paragraph(targetWords(*l.Target)+"; each slice measured both, in random order. The ratio is that of the operations a second, slice by slice."), ratioTable(r, l, column))
	// With more requests at once, the latency follows from the rate.
	d.Add(prose.Paragraph("With one request at a time:"), otherLatencies(r, l, column))
}

// modelTable compares a volume with the model of its local disk, which has latencies, but no rates of
// single steps.
func modelTable(r *probe.Result) prose.Table {
	t := prose.Table{Columns: []prose.Column{{Title: "load"}, {Title: "QD", Right: true}, {Title: "a second", Right: true},
		{Title: "p50 ms", Right: true}, {Title: "local", Right: true}}}
	for _, m := range r.Steps {
		for _, c := range r.Local.Comparisons {
			if c.Step == m.Name {
				t.Rows = append(t.Rows, []string{loadWords(m.Step), strconv.Itoa(m.Depth), phrase.Count(m.IOPS.Value), millis(m.P50), millis(unit.Duration(c.Local.Value * 1e9))})
			}
		}
	}
	return t
}

// ratioTable has the rates of both disks.
func ratioTable(r *probe.Result, l *probe.Local, column string) prose.Table {
	t := prose.Table{Columns: []prose.Column{{Title: "load"}, {Title: "QD", Right: true}, {Title: "a second", Right: true},
		{Title: column, Right: true}, {Title: "ratio", Right: true}, {Title: interval(r), Right: true}}}
	eachBoth(r, l, func(m, other probe.Measurement) {
		row := []string{loadWords(m.Step), strconv.Itoa(m.Depth), phrase.Count(m.IOPS.Value), phrase.Count(other.IOPS.Value)}
		t.Rows = append(t.Rows, append(row, ratioWords(r, l, m.Name)...))
	})
	return t
}

// otherLatencies has the latencies of both disks.
func otherLatencies(r *probe.Result, l *probe.Local, column string) prose.Table {
	t := prose.Table{Columns: []prose.Column{{Title: "load"}, {Title: "p50 ms", Right: true}, {Title: column, Right: true},
		{Title: "p99 ms", Right: true}, {Title: column, Right: true}}}
	eachBoth(r, l, func(m, other probe.Measurement) {
		if m.Depth == 1 {
			t.Rows = append(t.Rows, []string{loadWords(m.Step), millis(m.P50), millis(other.P50), millis(m.P99), millis(other.P99)})
		}
	})
	return t
}

// eachBoth calls do with the two measurements of each step that both disks have.
func eachBoth(r *probe.Result, l *probe.Local, do func(m, other probe.Measurement)) {
	for _, m := range r.Steps {
		for _, other := range l.Steps {
			if other.Name == m.Name {
				do(m, other)
				break
			}
		}
	}
}

// ratioWords returns the ratio of a step and its interval.
func ratioWords(r *probe.Result, l *probe.Local, step string) []string {
	for _, q := range l.Ratios {
		switch {
		case q.Step != step:
		case r.Slices == 1:
			return []string{ratio(q.Value), "-"}
		default:
			return []string{ratio(q.Value), ratio(q.Low) + " to " + ratio(q.High)}
		}
	}
	return []string{"-", "-"}
}

// ratio formats a ratio with three decimals below 0.1, two below 10, and none above.
func ratio(f float64) string {
	switch {
	case f < 0.1:
		return strconv.FormatFloat(f, 'f', 3, 64)
	case f < 10:
		return strconv.FormatFloat(f, 'f', 2, 64)
	}
	return phrase.Count(f)
}
