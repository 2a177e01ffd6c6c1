package validity

import (
	"slices"
	"strings"

	"plinth/internal/record"
)

// unread returns the gaps in the evidence that affect one of the figures, including counts
// that a server does not report. Without any evidence (an old record), every figure is a
// gap.
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

// covers reports whether a gap leaves a figure unread, whole or in part: the gap may be the
// figure ("machine.steal_s"), the group that it belongs to ("machine"), or one of several
// ("neighbours.disk").
func covers(gap, figure string) bool {
	return gap == figure || strings.HasPrefix(figure, gap+".") || strings.HasPrefix(gap, figure+".")
}

// missing warns of figures that could not be read and of the applicable rules that were
// not checked for lack of them. Records from before evidence existed get no warning. Nor
// does the lack of thermal counters alone: no virtual machine has them, so the warning would
// appear on every record made on one and be ignored.
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
		Text: "could not be read: " + byReason(gaps) + "; not checked: " + list(silent)}}
}

// byReason lists what is missing, grouped by reason.
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

// list joins words in alphabetical order, each once.
func list(words []string) string {
	slices.Sort(words)
	return strings.Join(slices.Compact(words), ", ")
}
