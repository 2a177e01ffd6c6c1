package costs

import (
	"fmt"

	"plinth/internal/cost"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
)

// hours shows environments that cannot do for long what they did in the runs, or not for the same money.
func hours(s *cost.Sheet) prose.Document {
	t := prose.Table{Columns: []prose.Column{
		{Title: "Environment"}, {Title: "Workload"}, {Title: "TPS in hour 1", Right: true}, {Title: "in hour 10", Right: true},
		{Title: s.Currency + " in hour 1", Right: true}, {Title: "in hour 10", Right: true},
	}}
	var lines prose.List
	for _, r := range s.Rows {
		if r.Load == nil {
			continue
		}
		row := []string{r.Environment, r.Workload}
		for _, h := range r.Load.Hours {
			row = append(row, phrase.Count(h.TPS))
		}
		for _, h := range r.Load.Hours {
			row = append(row, hourly(h.Cost))
		}
		t.Rows = append(t.Rows, row)
		for _, l := range r.Load.Limits {
			text := fmt.Sprintf("%s, %s: the load uses %s %s where %s are sustained; a full balance lasts %s", r.Environment, l.Resource, phrase.Fine(l.Used), l.Unit, phrase.Fine(l.Sustained), lasting(l.Lasts))
			if l.Charged {
				text += ", and what follows is charged"
			}
			lines = append(lines, text)
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return prose.Document{prose.Heading("In hour one and in hour ten"), t, lines,
		prose.Paragraph("Computed, not measured: from the credits and buckets of the catalog, full at the start, with throughput in proportion to the resource that is short.")}
}

func lasting(hours float64) string {
	if hours < 1 {
		return phrase.Fine(60*hours) + " minutes"
	}
	return phrase.Fine(hours) + " hours"
}
