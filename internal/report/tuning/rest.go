package tuning

import (
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
	"plinth/internal/tune"
)

// addRest lists the knobs in a state, grouped by reason.
func addRest(d *prose.Document, title string, p *tune.Plan, state tune.State) {
	var reasons []string
	names := map[string][]string{}
	for _, c := range p.Changes {
		if c.State != state || unnamed(c) {
			continue
		}
		reason := phrase.Note(record.Note{Text: c.Problem, Hint: c.Hint})
		if _, known := names[reason]; !known {
			reasons = append(reasons, reason)
		}
		value := c.Then // the value it would have had
		if c.State == tune.InForce && c.Now != "" {
			value = c.Now
		}
		names[reason] = append(names[reason], phrase.Join(" ", c.Key.String(), value))
	}
	if reasons == nil {
		return
	}
	d.Add(prose.Heading(title))
	var lines prose.List
	for _, reason := range reasons {
		lines = append(lines, phrase.Join(": ", strings.Join(names[reason], ", "), reason))
	}
	d.Add(lines)
}
