package runpage

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/phrase"
)

// addGaps lists unknown values, each cause once.
func (p *Page) addGaps(d *prose.Document) {
	var causes causes
	if p.Missing != "" {
		causes.note("the seconds", p.Missing)
	}
	if t := p.Run.Telemetry; t != nil {
		for _, g := range t.Gaps {
			causes.note(firstOf(g.Columns)+p.span(g), g.Why)
		}
	}
	if p.Observed { // otherwise one cause explains all figures
		for _, g := range p.Run.FigureGaps {
			causes.note(g.What, g.Why)
		}
	}
	if len(causes) > 0 {
		d.Add(prose.Heading("What is not known"), prose.List(phrase.AtMost(causes.lines())))
	}
}

// firstOf returns the first names of many columns, to leave room for the seconds that follow.
func firstOf(columns []string) string {
	const most = 4
	if len(columns) <= most {
		return strings.Join(columns, ", ")
	}
	return fmt.Sprintf("%s and %d more columns", strings.Join(columns[:most-1], ", "), len(columns)-most+1)
}

// span returns the seconds of a gap; "" if it covers the whole window.
func (p *Page) span(g record.TelemetryGap) string {
	n := len(p.window.seconds)
	switch {
	case n > 0 && g.From <= p.window.seconds[0] && g.To >= p.window.seconds[n-1]:
		return ""
	case g.From == g.To:
		return " (second " + phrase.Exact(g.From) + ")"
	}
	return fmt.Sprintf(" (seconds %s to %s)", phrase.Exact(g.From), phrase.Exact(g.To))
}

// causes maps reasons to the values that are unknown because of them, in order.
type causes []struct {
	why  string
	what []string
}

func (c *causes) note(what, why string) {
	for i := range *c {
		if cause := &(*c)[i]; cause.why == why {
			if !slices.Contains(cause.what, what) {
				cause.what = append(cause.what, what)
			}
			return
		}
	}
	*c = append(*c, struct {
		why  string
		what []string
	}{why, []string{what}})
}

func (c causes) lines() []string {
	var lines []string
	for _, cause := range c {
		lines = append(lines, prose.Cut(phrase.SomeOf(cause.what), 300)+": "+prose.Cut(cause.why, 300))
	}
	return lines
}
