package validity

import (
	"slices"
	"strings"

	"plinth/internal/record"
)

// unread are the gaps in evidence that leave one of the figures unread, and those
// among them that a server does not count; where there is no evidence at all (an
// old record), every figure is one. A gap may name a figure ("machine.steal_s") or
// all that stands below it ("machine").
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
	for _, figure := range figures {
		gaps = append(gaps, unreadOf(e, figure)...)
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
// and get no warning, since nothing of it was promised when they were made. Nor is
// there one for the thermal counters alone: no virtual machine has them, so that
// the warning would stand on every record and be read by nobody.
func missing(rules []rule, c Case) []record.Note {
	if c.Run.Evidence == nil {
		return nil
	}
	var gaps []record.Gap
	var silent []string
	for _, r := range rules {
		if !r.concerns(c) {
			continue
		}
		if found := unread(c.Run.Evidence, r.needs); len(found) > 0 {
			gaps, silent = append(gaps, found...), append(silent, r.name)
		}
	}
	if gaps == nil || slices.Equal(silent, []string{"thermal"}) {
		return nil
	}
	return []record.Note{{Rule: "evidence-missing",
		Text: "could not be read: " + byReason(gaps) + "; not looked at: " + list(silent)}}
}

// byReason names what is missing, each reason once.
func byReason(gaps []record.Gap) string {
	figures := map[string][]string{}
	for _, gap := range gaps {
		figures[gap.Why] = append(figures[gap.Why], gap.What)
	}
	var parts []string
	for why, names := range figures {
		parts = append(parts, list(names)+" ("+why+")")
	}
	return list(parts)
}

// list joins words in order, each once.
func list(words []string) string {
	slices.Sort(words)
	return strings.Join(slices.Compact(words), ", ")
}
