package tuning

import (
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
	"plinth/internal/tune"
)

// addRest adds what a plan does nothing about: for one reason once, however many knobs
// it is the reason of.
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
		names[reason] = append(names[reason], restWords(c))
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

// restWords are a knob with the value that it has, or would have had.
func restWords(c tune.Change) string {
	value := c.Then
	if c.State == tune.InForce && c.Now != "" {
		value = c.Now
	}
	return phrase.Join(" ", c.Key.String(), value)
}
