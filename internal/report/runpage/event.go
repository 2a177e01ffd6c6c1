package runpage

import (
	"fmt"

	"plinth/internal/prose"
	"plinth/internal/report/phrase"
)

// addEvents adds the experiment's events and their times.
func (p *Page) addEvents(d *prose.Document) {
	if len(p.Run.Events) == 0 {
		return
	}
	t := prose.Table{Columns: []prose.Column{{Title: "Event"}, {Title: "At", Right: true}, {Title: "Took", Right: true}, {Title: "Ended"}}}
	for _, e := range p.Run.Events {
		ended := "done"
		if e.Error != "" {
			ended = "failed: " + prose.Cut(e.Error, 60)
		}
		t.Rows = append(t.Rows, []string{prose.Cut(e.Name, 40), fmt.Sprintf("%.1f s", e.At), phrase.Duration(e.Took), ended})
	}
	d.Add(prose.Heading("Events"), prose.WordTable(t))
}

// addBursts adds when bursts and CPU credits ended, and what was left of them.
func (p *Page) addBursts(d *prose.Document) {
	bursts := phrase.BurstsOf(p.Run)
	if len(bursts) == 0 {
		return
	}
	t := prose.Table{Columns: []prose.Column{{Title: "Burst"}, {Title: "Ended at", Right: true}, {Title: "Model expects", Right: true}, {Title: "Left at the end"}}}
	for _, b := range bursts {
		t.Rows = append(t.Rows, []string{b.Name, phrase.Second(b.Ended), phrase.Second(b.Expected), b.Left})
	}
	d.Add(prose.Heading("Bursts"), prose.WordTable(t))
}
