package disk

import (
	"strconv"

	"plinth/internal/probe"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
	"plinth/internal/unit"
)

// addLocal adds the local disk under a volume, beside the volume.
func addLocal(d *prose.Document, r *probe.Result) {
	l := r.Local
	if l == nil {
		return
	}
	d.Add(prose.Heading("Beside the local disk"))
	if l.Target != nil {
		d.Add(prose.Paragraph(targetWords(*l.Target) + "; each slice measured both, in random order."))
	} else {
		d.Add(prose.Paragraph("The local disk is that of a model file: " + phrase.Join(", ", l.Device.Name, l.Device.Measured) + "."))
	}
	d.Add(localTable(r))
}

// localTable has a row for each step that was measured on both. A model has latencies, but no rates
// of single steps.
func localTable(r *probe.Result) prose.Table {
	t := prose.Table{Columns: []prose.Column{{Title: "load"}, {Title: "QD", Right: true}, {Title: "a second", Right: true},
		{Title: "local", Right: true}, {Title: "p50 ms", Right: true}, {Title: "local", Right: true}}}
	for _, m := range r.Steps {
		rate, median, known := localFigures(r.Local, m.Name)
		if known {
			t.Rows = append(t.Rows, []string{loadWords(m.Step), strconv.Itoa(m.Depth), phrase.Count(m.IOPS.Value), rate, millis(m.P50), median})
		}
	}
	return t
}

// localFigures returns the rate and the median latency of a step on the local disk.
func localFigures(l *probe.Local, step string) (rate, median string, known bool) {
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
