package validity

import (
	"slices"
	"strings"

	"plinth/internal/record"
)

// unread are the gaps in evidence that leave one of the figures unread; where
// there is no evidence at all (an old record), every figure is one. A gap may
// name a figure ("machine.steal_s") or all that stands below it ("machine").
func unread(e *record.Evidence, figures []string) []record.Gap {
	if e == nil {
		gaps := make([]record.Gap, len(figures))
		for i, figure := range figures {
			gaps[i].What = figure
		}
		return gaps
	}
	var gaps []record.Gap
	for _, gap := range e.Gaps {
		if slices.ContainsFunc(figures, func(figure string) bool { return covers(gap.What, figure) }) {
			gaps = append(gaps, gap)
		}
	}
	return gaps
}

// covers says whether a gap leaves a figure unread, whole or in part: it may name
// the figure ("machine.steal_s"), all that it belongs to ("machine"), or one of
// several ("neighbours.disk").
func covers(gap, figure string) bool {
	return gap == figure || strings.HasPrefix(figure, gap+".") || strings.HasPrefix(gap, figure+".")
}

// missing warns of figures without which rules that concern the case keep silent:
// what was not looked at is not known to be well. Old records have no evidence
// and get no warning, since nothing of it was promised when they were made.
func missing(rules []rule, c Case) []record.Note {
	if c.Run.Evidence == nil {
		return nil
	}
	var figures, silent []string
	for _, r := range rules {
		if !r.concerns(c) {
			continue
		}
		gaps := unread(c.Run.Evidence, r.needs)
		for _, gap := range gaps {
			figures = append(figures, gap.What+" ("+gap.Why+")")
		}
		if len(gaps) > 0 {
			silent = append(silent, r.name)
		}
	}
	if figures == nil {
		return nil
	}
	return []record.Note{{Rule: "evidence-missing",
		Text: "could not be read: " + list(figures) + "; not looked at: " + list(silent)}}
}

// list joins words in order, each once.
func list(words []string) string {
	slices.Sort(words)
	return strings.Join(slices.Compact(words), ", ")
}
