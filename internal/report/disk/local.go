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
	if l.Target != nil {
		d.Add(prose.Paragraph(targetWords(*l.Target) + "; each slice measured both, in random order. The ratio is that of the operations a second, slice by slice."))
	} else {
		d.Add(prose.Paragraph("The local disk is that of a model file: " + phrase.Join(", ", l.Device.Name, l.Device.Measured) + "."))
	}
	d.Add(otherTable(r, l, column))
}

// otherTable has a row for each step that was measured on both. A model has latencies, but no rates of
// single steps.
func otherTable(r *probe.Result, l *probe.Local, column string) prose.Table {
	t := prose.Table{Columns: []prose.Column{{Title: "load"}, {Title: "QD", Right: true}, {Title: "a second", Right: true}, {Title: column, Right: true}}}
	if l.Ratios != nil {
		t.Columns = append(t.Columns, prose.Column{Title: "ratio", Right: true}, prose.Column{Title: interval(r), Right: true})
	}
	t.Columns = append(t.Columns, prose.Column{Title: "p50 ms", Right: true}, prose.Column{Title: column, Right: true})
	for _, m := range r.Steps {
		rate, median, known := otherFigures(l, m.Name)
		if !known {
			continue
		}
		row := []string{loadWords(m.Step), strconv.Itoa(m.Depth), phrase.Count(m.IOPS.Value), rate}
		if l.Ratios != nil {
			row = append(row, ratioWords(r, l, m.Name)...)
		}
		t.Rows = append(t.Rows, append(row, millis(m.P50), median))
	}
	return t
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

// otherFigures returns the rate and the median latency of a step on the other disk.
func otherFigures(l *probe.Local, step string) (rate, median string, known bool) {
	for _, m := range l.Steps {
		if m.Name == step {
			return phrase.Count(m.IOPS.Value), millis(m.P50), true
		}
	}
	for _, c := range l.Comparisons {
		if c.Step == step {
			return "-", millis(unit.Duration(c.Local.Value * 1e9)), true
		}
	}
	return "", "", false
}
