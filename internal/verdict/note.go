package verdict

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// parity are the notes that weaken the comparison with one environment.
func (c *comparer) parity(other string) []record.Note {
	var notes []record.Note
	for _, note := range c.rec.Summary.Warnings {
		if strings.HasPrefix(note.Rule, "parity-") && (note.Environment == other || note.Environment == c.baseline) {
			notes = append(notes, note)
		}
	}
	return notes
}

// warnings are what weakens all verdicts of a record.
func (c *comparer) warnings(result *Comparison, leftOut []record.Note) []record.Note {
	notes := []record.Note{}
	for _, note := range c.rec.Summary.Warnings {
		// The notes on blocks are made anew for the environments that are compared.
		if !strings.HasPrefix(note.Rule, "parity-") && note.Rule != record.RuleBlockInvalid && note.Rule != record.RuleBlockIncomplete {
			notes = append(notes, note)
		}
	}
	for _, environment := range append([]string{c.baseline}, c.shown...) {
		for _, note := range c.rec.Environments[environment].Warnings {
			note.Environment = environment
			notes = append(notes, note)
		}
	}
	notes = append(notes, leftOut...)
	return append(notes, c.undeclared(result.Verdicts)...)
}

// undeclared says of words, and of the margin, that they were asked for when the
// numbers were there.
func (c *comparer) undeclared(verdicts []record.Verdict) []record.Note {
	var notes []record.Note
	if declared := float64(c.exp.Margin); c.plan.Margin != declared {
		notes = append(notes, record.Note{
			Rule: "not-declared",
			Text: fmt.Sprintf("a margin of %s %% was not declared before the first run (%s %% was): one that is chosen afterwards makes anything equivalent", plainly(c.plan.Margin), plainly(declared)),
			Hint: "declare the margin in the experiment",
		})
	}
	for _, m := range c.metrics {
		if slices.ContainsFunc(verdicts, func(v record.Verdict) bool {
			return v.Asked && v.Metric == m.Name && !c.isDeclared(pair{v.Workload, v.Other}, m)
		}) {
			notes = append(notes, record.Note{
				Rule: "not-declared",
				Text: fmt.Sprintf("a verdict by %s against %s was not declared before the first run: who looks at many of them finds a difference by chance", m.Title, c.baseline),
				Hint: "declare metric, baseline and what to compare in the experiment",
			})
		}
	}
	return notes
}

func withoutNumber(blocks int, m experiment.Metric) record.Note {
	return record.Note{Rule: "no-number", Text: fmt.Sprintf("%d of the blocks are left out: a run in them has no %s that can be compared", blocks, m.Title)}
}

// listing is "a, b".
func listing(names []string) string { return strings.Join(names, ", ") }

// Cite adds what the machine found of its own noise in another record.
func (c *Comparison) Cite(name string, noise []record.Noise) {
	for _, n := range noise {
		for _, v := range c.Verdicts {
			if v.Workload != n.Workload || v.Metric != n.Metric {
				continue
			}
			c.Warnings = append(c.Warnings, record.Note{
				Rule: "machine-noise",
				Text: fmt.Sprintf("on this machine %s differs from itself by %s %% from block to block (%s)", n.Workload, percent(n.PairSD), name),
			})
			break
		}
	}
}
