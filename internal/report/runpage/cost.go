package runpage

import (
	"fmt"

	"plinth/internal/prose"
	"plinth/internal/report/phrase"
)

// addCost shows how much CPU time the telemetry used on the machine under test.
func (p *Page) addCost(d *prose.Document) {
	if p.Run.Telemetry == nil || len(p.Run.Telemetry.Cost) == 0 {
		return
	}
	var lines prose.List
	for _, c := range p.Run.Telemetry.Cost {
		text := fmt.Sprintf("%s: %s, plinth %s", c.Lane, phrase.Plural(c.Readings, "reading"), ofCore(c.CPU, c.Covered))
		if c.Known {
			text += ", the server " + ofCore(c.Server, c.Covered)
		}
		if c.Pace > 0 {
			text += fmt.Sprintf("; samples every %s", phrase.Fine(c.Pace*1000)+" ms")
		}
		if c.Held != "" {
			text += " (" + c.Held + ")"
		}
		lines = append(lines, text)
	}
	d.Add(prose.Heading("Cost of observation"), lines)
	if p.Run.Driver.Program != "" && len(p.Owners) > 0 {
		d.Add(prose.Paragraph("The table of CPU time by owner also includes plinth's other work, mostly decoding the load generator's log."))
	}
}

// ofCore formats CPU time in seconds, with its share of one core.
func ofCore(cpu, covered float64) string {
	text := phrase.Seconds(cpu) + " of CPU time"
	if covered > 0 {
		text += " (" + phrase.Share(cpu/covered) + " of a core)"
	}
	return text
}
