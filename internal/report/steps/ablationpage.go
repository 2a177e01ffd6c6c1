package steps

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/compare"
	"plinth/internal/report/phrase"
	"plinth/internal/report/show"
)

// Document returns the effect of the whole tuning, of its parts, whether they add up, and the
// recommendations; nil without an ablation.
func (a *Ablation) Document(s *show.Numbers) prose.Document {
	if a == nil {
		return nil
	}
	var d prose.Document
	var notes compare.Footnotes
	d.Add(prose.List(append(a.wholeLines(s), a.whatDidIt(s)...)))
	if t := a.removedTable(s, &notes); len(t.rows) > 0 {
		d.Add(t)
	}
	d.Add(prose.List(a.sumLines(s, &notes)))
	if t := a.pairTable(s, &notes); len(t.rows) > 0 {
		d.Add(t, prose.List(a.largestPair(s)))
	}
	d.Add(notes.Lines())
	if t := a.impactTable(s); len(t.Rows) > 0 {
		note := a.impactNote()
		if sources := a.citations(); len(sources) > 0 {
			note += " Published: " + strings.Join(sources, "; ") + "."
		}
		d.Add(prose.WordTable(t), prose.Paragraph(note))
	}
	d.Add(prose.WordTable(a.partTable()), prose.List(a.remarks(s)))
	return d
}

// wholeLines returns the effect of the whole tuning against none, by workload.
func (a *Ablation) wholeLines(s *show.Numbers) []string {
	var lines []string
	for _, v := range a.Whole {
		row := effectRow{Verdict: v, fewest: a.Fewest}
		lines = append(lines, fmt.Sprintf("%s: the whole tuning against none: %s %s", s.Label(v.Workload), compare.MetricTitle(s.Words(), a.Metric),
			effectTable{unit: a.Unit, margin: a.Margin}.numbers(row)))
	}
	return lines
}

// whatDidIt lists the parts by their verdicts, the largest effects first.
func (a *Ablation) whatDidIt(s *show.Numbers) []string {
	var lines []string
	for _, w := range s.Workloads {
		byWord := map[record.Outcome][]PartEffect{}
		names := map[string]string{}
		for _, p := range a.measuredParts() {
			for _, e := range p.Removed {
				if e.Workload == w.Name {
					word := e.Outcome
					if word == "" || !compare.HasNumber(e.Verdict) {
						word = record.Inconclusive
					}
					byWord[word], names[e.Other] = append(byWord[word], e), p.Name
				}
			}
		}
		var said []string
		for _, kind := range []struct {
			word  record.Outcome
			text  string
			sized bool
		}{
			{record.Worse, "worse without", true}, {record.Better, "better without", true},
			{record.Equivalent, "no difference without", false}, {record.Inconclusive, "not known for", false},
		} {
			if all := byWord[kind.word]; len(all) > 0 {
				said = append(said, kind.text+" "+a.namesOf(all, names, kind.sized))
			}
		}
		if len(said) > 0 {
			lines = append(lines, w.Label+": "+strings.Join(said, "; "))
		}
	}
	return lines
}

// namesOf returns the names of the parts, those with the largest effect first.
func (a *Ablation) namesOf(all []PartEffect, names map[string]string, sized bool) string {
	slices.SortStableFunc(all, func(x, y PartEffect) int {
		switch {
		case size(x.Verdict) > size(y.Verdict):
			return -1
		case size(x.Verdict) < size(y.Verdict):
			return 1
		}
		return 0
	})
	var texts []string
	for _, e := range all {
		text := names[e.Other]
		if sized {
			text += " (" + compare.Effect(e.Verdict, a.Margin) + ")"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// removedTable shows the effect of removing each part in turn.
func (a *Ablation) removedTable(s *show.Numbers, notes *compare.Footnotes) effectTable {
	t := effectTable{title: "All of it, and each part removed in turn: " + compare.MetricTitle(s.Words(), a.Metric), unit: a.Unit, margin: a.Margin,
		keys: []prose.Column{{Title: "Without"}}, more: []prose.Column{{Title: "Share", Right: true}}}
	if a.By == experiment.Screen {
		t.title, t.more = "Each part removed, whatever else there is: "+compare.MetricTitle(s.Words(), a.Metric), nil
	}
	if len(s.Workloads) > 1 {
		t.keys = append(t.keys, prose.Column{Title: "Workload"})
	}
	for _, p := range a.Parts {
		for _, e := range p.Removed {
			row := effectRow{keys: []string{p.Name}, Verdict: e.Verdict, fewest: a.Fewest, mark: notes.Mark(compare.Weakening(e.Warnings))}
			if len(t.more) > 0 {
				row.more = []string{shareText(e.Share)}
			}
			if len(s.Workloads) > 1 {
				row.keys = append(row.keys, s.Label(e.Workload))
			}
			t.rows = append(t.rows, row)
		}
	}
	return t
}

// shareText formats a share of the whole effect, which may be negative or above 100 %.
func shareText(share *float64) string {
	if share == nil || !phrase.Known(*share) {
		return phrase.None
	}
	return fmt.Sprintf("%.0f %%", 100**share)
}

// partTable shows what each part sets, and which parts were not measured.
func (a *Ablation) partTable() prose.Table {
	t := prose.Table{Title: "What each part sets", Keys: 1, Columns: []prose.Column{{Title: "Part"}, {Title: "Sets"}}}
	for _, p := range a.Parts {
		var texts []string
		if p.NotApplicable != "" {
			texts = append(texts, notHere+p.NotApplicable)
		}
		for _, k := range p.sets {
			if p.NotApplicable == "" || k.NotApplicable == "" {
				texts = append(texts, phrase.Knob(k))
			}
		}
		if texts == nil {
			texts = []string{phrase.None}
		}
		t.Rows = append(t.Rows, []string{p.Name, strings.Join(texts, "; ")})
	}
	return t
}

// remarks explains the error of the verdicts and how to read the numbers without one.
func (a *Ablation) remarks(s *show.Numbers) []string {
	var lines []string
	if a.Declared > 0 {
		pairs := "all against none, and against all without each part"
		switch {
		case len(s.Experiment.Compare) > 0 && !s.Experiment.ComparesAll():
			pairs = strings.Join(s.Experiment.Compare, ", ")
		case s.Experiment.ComparesAll():
			pairs = "every pair"
		case a.By == experiment.Screen:
			pairs = "all against none"
		}
		share := "share"
		if a.Declared == 1 {
			share = "has"
		}
		lines = append(lines, fmt.Sprintf("%s: %s, declared before the first run, %s the 5 %% error rate", pairs, phrase.Plural(a.Declared, "comparison"), share))
	}
	if slices.ContainsFunc(a.Parts, func(p AblatedPart) bool {
		return slices.ContainsFunc(p.Removed, func(e PartEffect) bool { return e.Share != nil })
	}) {
		lines = append(lines, "share: the fraction of the effect of all against none, on a logarithmic scale, that is lost without the part; the shares add up to 100 % only if the parts add up")
	}
	if a.Means > 0 {
		lines = append(lines, fmt.Sprintf("the effect of removing a part is the mean of the %d environments without it against the mean of the %d with it; half of each also have any other part; %s of parts share another 5 %% (Holm), and a verdict takes at least %s",
			len(s.Environments)/2, len(s.Environments)/2, phrase.Plural(a.Means, "effect"), phrase.Plural(a.FewestMeans, a.Unit)))
	}
	if len(a.Sums) > 0 {
		lines = append(lines, "whether the parts add up is decided "+a.Unit+" by "+a.Unit+": the sum of the effects of removing each part is compared with the effect of the whole; "+phrase.Plural(len(a.Sums), "such comparison")+" with a separate error rate")
	}
	if len(a.Pairs) > 0 {
		lines = append(lines, phrase.Plural(len(a.Pairs), "interaction")+" share another 5 % (Holm)")
	}
	if s.Threads != 0 {
		lines = append(lines, "effects cover all cells, whatever the thread count")
	}
	return lines
}
