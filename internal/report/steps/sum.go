package steps

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/compare"
	"plinth/internal/report/show"
	"plinth/internal/stats"
	"plinth/internal/verdict"
)

// addUp adds the sum of the parts against the whole and, if pairs were removed, their
// interactions.
func (a *Ablation) addUp(s *show.Numbers, rec *record.Record) {
	parts := a.measuredParts()
	if len(parts) < 2 {
		return
	}
	names, without := make([]string, len(parts)), make([]string, len(parts))
	for i, p := range parts {
		names[i], without[i] = p.Name, p.Environment
	}
	var sums []verdict.Contrast
	for _, w := range s.Workloads {
		sums = append(sums, verdict.Excess(w.Name, experiment.AblationAll, experiment.AblationNone, without))
	}
	for _, found := range contrasted(rec, sums) {
		a.Sums = append(a.Sums, PartsSum{found.Verdict, names, found.Direction})
	}
	a.addPairs(s, rec, parts)
}

// addPairs adds the pairs of parts, in the order of the environments.
func (a *Ablation) addPairs(s *show.Numbers, rec *record.Record, parts []AblatedPart) {
	var contrasts []verdict.Contrast
	var of [][]string
	lacks := func(part string) string {
		if at := slices.IndexFunc(parts, func(p AblatedPart) bool { return p.Name == part }); at >= 0 {
			return parts[at].Environment
		}
		return ""
	}
	for _, w := range s.Workloads {
		for _, e := range s.Experiment.Environments {
			two := a.removed(s.Experiment, e)
			if len(two) != 2 || lacks(two[0]) == "" || lacks(two[1]) == "" {
				continue
			}
			contrasts = append(contrasts, verdict.PairInteraction(w.Name, experiment.AblationAll, lacks(two[0]), lacks(two[1]), e.Name))
			of = append(of, two)
		}
	}
	for i, found := range contrasted(rec, contrasts) {
		a.Pairs = append(a.Pairs, PartsSum{found.Verdict, of[i], found.Direction})
	}
}

// contrasted returns the numbers of contrasts; nil if the record cannot be compared.
func contrasted(rec *record.Record, contrasts []verdict.Contrast) []verdict.Contrasted {
	found, err := verdict.Contrasts(rec, contrasts)
	if err != nil {
		return nil
	}
	return found
}

// sumLines reports for each workload whether the parts add up.
func (a *Ablation) sumLines(s *show.Numbers, notes *compare.Footnotes) []string {
	var lines []string
	for _, sum := range a.Sums {
		if !compare.HasNumber(sum.Verdict) {
			continue
		}
		about, numbers := "", strings.TrimSpace(effectWords(sum.Verdict, a.Margin)+" "+notes.Mark(compare.Weakening(sum.Warnings)))
		if len(s.Workloads) > 1 {
			about = s.Label(sum.Workload) + ": "
		}
		switch sum.Direction {
		case stats.Up, stats.Down:
			lines = append(lines, about+"the parts do not add up: "+a.notAdding(sum)+": "+numbers)
		case stats.Equal:
			lines = append(lines, about+"the parts add up: their separate effects differ from the whole by "+numbers)
		case stats.Unknown:
			lines = append(lines, about+"whether the parts add up is not known: their separate effects differ from the whole by "+numbers)
		default:
			lines = append(lines, about+"too few "+a.Unit+"s to say whether the parts add up: their separate effects differ from the whole by "+numbers)
		}
	}
	return lines
}

// notAdding explains why parts do not add up. If the whole makes things worse, the direction is
// reversed.
func (a *Ablation) notAdding(sum PartsSum) string {
	more := sum.Direction == stats.Up
	if whole, found := a.wholeOf(sum.Workload); found && whole.Effect < 0 {
		more = !more
	}
	if more {
		return "the effects of removing each part add up to more than the effect of all parts, so some of them work only together"
	}
	return "the effects of removing each part add up to less than the effect of all parts, so some of them compensate for others that are missing"
}

func (a *Ablation) wholeOf(workload string) (record.Verdict, bool) {
	for _, w := range a.Whole {
		if w.Workload == workload {
			return w, compare.HasNumber(w)
		}
	}
	return record.Verdict{}, false
}

// pairTable shows the interaction of each pair of parts.
func (a *Ablation) pairTable(s *show.Numbers, notes *compare.Footnotes) effectTable {
	t := effectTable{title: "Interaction: the joint effect of two parts beyond their separate effects", unit: a.Unit, margin: a.Margin,
		keys: []prose.Column{{Title: "Parts"}}, bare: true, more: []prose.Column{{Title: "Meaning"}}}
	if len(s.Workloads) > 1 {
		t.keys = append(t.keys, prose.Column{Title: "Workload"})
	}
	for _, p := range a.Pairs {
		meaning := strings.TrimSpace(a.together(p) + " " + notes.Mark(compare.Weakening(p.Warnings)))
		row := effectRow{keys: []string{strings.Join(p.Parts, " and ")}, Verdict: p.Verdict, more: []string{meaning}}
		if len(s.Workloads) > 1 {
			row.keys = append(row.keys, s.Label(p.Workload))
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// together explains an interaction.
func (a *Ablation) together(p PartsSum) string {
	up := p.Direction == stats.Up
	if whole, found := a.wholeOf(p.Workload); found && whole.Effect < 0 {
		up = !up
	}
	switch p.Direction {
	case stats.Up, stats.Down:
		if up {
			return "each needs the other"
		}
		return "each compensates for the other"
	case stats.Equal:
		return "independent"
	case stats.Unknown:
		return "not known"
	}
	return effectOnly
}

// largestPair names the largest known interaction.
func (a *Ablation) largestPair(s *show.Numbers) []string {
	var lines []string
	for _, w := range s.Workloads {
		best, pairs := PartsSum{}, 0
		for _, p := range a.Pairs {
			if p.Workload != w.Name {
				continue
			}
			pairs++
			if (p.Direction == stats.Up || p.Direction == stats.Down) && size(p.Verdict) > size(best.Verdict) {
				best = p
			}
		}
		switch {
		case pairs == 0:
		case best.Parts == nil:
			lines = append(lines, w.Label+": no interaction of two parts is known")
		default:
			lines = append(lines, fmt.Sprintf("%s: the largest interaction is that of %s: %s: %s", w.Label, strings.Join(best.Parts, " and "), effectWords(best.Verdict, a.Margin), a.together(best)))
		}
	}
	return lines
}
