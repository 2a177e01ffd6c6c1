package runpage

import (
	"fmt"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// addGenerators adds what each load generator did, if they were on machines of their own.
func (p *Page) addGenerators(d *prose.Document) {
	if len(p.Run.Generators) == 0 {
		return
	}
	t := prose.Table{Columns: []prose.Column{{Title: "Load generator"}, {Title: "Clients", Right: true}, {Title: "TPS", Right: true},
		{Title: "CPUs", Right: true}, {Title: "Round trip", Right: true}, {Title: "Retransmitted", Right: true}}}
	within := 0.0
	for _, g := range p.Run.Generators {
		t.Rows = append(t.Rows, []string{prose.Cut(record.MachineName(g.At), 30), phrase.Exact(float64(g.Clients)), phrase.Count(g.TPS),
			cpusOf(g.Evidence), roundTrip(g.Network), sentAgain(g.Network)})
		within = max(within, g.Clock.Within)
	}
	note := "CPUs: used by the load generator. Round trip: between it and the server. Retransmitted: TCP segments of its machine."
	if within > 0 {
		note += fmt.Sprintf(" The clocks of the machines were compared before and after the run; the difference is known to %s.", phrase.Took(within))
	}
	d.Add(prose.Heading("Load generators"), prose.WordTable(t), prose.Paragraph(note))
}

func cpusOf(e *record.Evidence) string {
	if e == nil || e.Generator.Covered <= 0 {
		return ""
	}
	return phrase.Short(e.Generator.CPU / e.Generator.Covered)
}

func roundTrip(n *record.Network) string {
	if n == nil || n.RoundTrip == 0 {
		return ""
	}
	return phrase.Milliseconds(n.RoundTrip)
}

func sentAgain(n *record.Network) string {
	if n == nil || n.Segments == 0 {
		return ""
	}
	return phrase.Count(float64(n.Retransmitted)) + " of " + phrase.Count(float64(n.Segments))
}
