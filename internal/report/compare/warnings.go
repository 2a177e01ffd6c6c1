package compare

import (
	"slices"
	"strings"

	"plinth/internal/record"
	"plinth/internal/report/phrase"
	"plinth/internal/report/show"
)

// Warning is a note with its owners: environments, or records if there are two. The empty owner
// stands for the whole comparison.
type Warning struct {
	record.Note
	Of []string
}

func (w Warning) line() string {
	if slices.Contains(w.Of, "") {
		return "warning: " + phrase.Note(w.Note)
	}
	return "warning: " + strings.Join(w.Of, " and ") + ": " + phrase.Note(w.Note)
}

// AllWarnings returns the warnings of environments and their runs, of the experiment and of the
// comparison, each once. Omitted blocks are listed separately if the records are given.
func (c *Report) AllWarnings(shows []*show.Numbers) []Warning {
	var all []Warning
	add := func(note record.Note, of string) {
		at := slices.IndexFunc(all, func(w Warning) bool { return alike(note)(w.Note) })
		switch {
		case c.Notes.has(note):
		case at < 0:
			all = append(all, Warning{note, []string{of}})
		case !slices.Contains(all[at].Of, of):
			all[at].Of = append(all[at].Of, of)
		}
	}
	for i, s := range shows {
		s.EachWarning(c.NameOf(i), add)
	}
	for _, note := range c.Warnings {
		if len(shows) == 0 || note.Rule != record.RuleBlockInvalid && note.Rule != record.RuleBlockIncomplete {
			add(note, show.Owner(note))
		}
	}
	return all
}

// NameOf returns the name of a record if there are several; otherwise "".
func (c *Report) NameOf(i int) string {
	if len(c.Records) < 2 {
		return ""
	}
	return c.Records[i]
}

// RuleOneLoad is the rule of warnings about a dataset that was loaded only once, at random.
const RuleOneLoad = "one-load"

// FarFromNothing reports whether each deciding interval is more than 5 % away from no effect:
// the variation between loads of a dataset, one or two per cent, cannot explain it.
func (c *Report) FarFromNothing() bool {
	const luck = 0.05
	found := false
	for _, v := range slices.Concat(c.Verdicts, c.OtherPairs) {
		if !c.Decides(v.Metric) || v.Outcome != record.Better && v.Outcome != record.Worse {
			continue
		}
		if v.Low < luck && v.High > -luck {
			return false
		}
		found = true
	}
	return found
}

// OfTheAnswer returns the warnings of verdicts that are decided, or that have too few units.
// The others have footnotes.
func (c *Report) OfTheAnswer() []Warning {
	return c.ofVerdicts(func(v record.Verdict) bool {
		return c.Decides(v.Metric) && (v.Outcome != record.Inconclusive || v.N < c.Fewest.Workload)
	})
}

// ofVerdicts returns the warnings of some verdicts, each once, with the verdicts that have it. Pairs
// without the baseline add only those that no verdict against the baseline has.
func (c *Report) ofVerdicts(wanted func(record.Verdict) bool) []Warning {
	all := warningsOf(c.Verdicts, wanted, func(v record.Verdict) string {
		if len(c.pairs) > 1 {
			return v.Other + ", " + v.Workload
		}
		return v.Workload
	})
	for _, own := range warningsOf(c.OtherPairs, wanted, func(v record.Verdict) string { return VerdictRow{Verdict: v}.pair() + ", " + v.Workload }) {
		if !slices.ContainsFunc(all, func(w Warning) bool { return alike(own.Note)(w.Note) }) {
			all = append(all, own)
		}
	}
	return all
}

// warningsOf returns the warnings of some verdicts, each once; name names the verdicts that have it.
func warningsOf(verdicts []record.Verdict, wanted func(record.Verdict) bool, name func(record.Verdict) string) []Warning {
	var all []Warning
	for _, v := range verdicts {
		if !wanted(v) {
			continue
		}
		for _, note := range Weakening(v.Warnings) {
			about := name(v)
			at := slices.IndexFunc(all, func(w Warning) bool { return alike(note)(w.Note) })
			if at < 0 {
				all = append(all, Warning{note, []string{about}})
			} else if !slices.Contains(all[at].Of, about) {
				all[at].Of = append(all[at].Of, about)
			}
		}
	}
	return all
}
