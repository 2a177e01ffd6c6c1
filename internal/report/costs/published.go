package costs

import (
	"plinth/internal/cost"
	"plinth/internal/price"
	"plinth/internal/prose"
	"plinth/internal/report/phrase"
	"plinth/internal/unit"
)

// Published compares published tables with their own prices and with today's.
func Published(all []cost.Published) prose.Document {
	var d prose.Document
	for _, p := range all {
		d.Add(prose.Heading(p.Title), prose.Paragraph(p.From+"; plinth cost --published "+p.Name))
		t := prose.Table{Columns: []prose.Column{{Title: "What"}, {Title: "printed", Right: true}, {Title: "own prices", Right: true}, {Title: "follows"}, {Title: "today's", Right: true}}}
		var notes prose.List
		for _, r := range p.Rows {
			follows := "no"
			switch {
			case !r.Own.Known():
				follows = "unknown"
			case cost.Follows(r.Printed, r.Own):
				follows = "yes"
			}
			t.Rows = append(t.Rows, []string{prose.Cut(r.Name, 36), unit.Grouped(r.Printed, -1), calculated(r.Own), follows, calculated(r.Today)})
			if r.Note != "" {
				notes = append(notes, r.Name+": "+r.Note)
			}
		}
		if p.Latest != "" {
			notes = append(notes, "today's prices are those of "+p.Latest)
		}
		d.Add(t)
		if notes != nil {
			d.Add(notes)
		}
	}
	d.Add(prose.Paragraph("Own prices: those that the publication states, with its hours in a month; unknown where it states none. Today's: those of the latest price book. In US dollars."))
	return d
}

func calculated(a price.Amount) string {
	if !a.Known() {
		return phrase.None
	}
	return a.String()
}
