package verdict

import (
	"fmt"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// RuleImported is the rule of notes about numbers that others measured.
const RuleImported = "imported"

// parity returns the notes that weaken the comparison of two environments.
func (c *comparer) parity(p pair) []record.Note {
	var notes []record.Note
	for _, note := range c.rec.Summary.Warnings {
		if strings.HasPrefix(note.Rule, "parity-") && (note.Environment == p.other || note.Environment == p.baseline) {
			notes = append(notes, note)
		}
	}
	return notes
}

// warnings returns the notes that weaken all verdicts of a record.
func (c *comparer) warnings(result *Comparison, leftOut []record.Note) []record.Note {
	notes := []record.Note{}
	for _, note := range c.rec.Summary.Warnings {
		// Notes on blocks are recomputed for the environments that are compared.
		if !strings.HasPrefix(note.Rule, "parity-") && note.Rule != record.RuleBlockInvalid && note.Rule != record.RuleBlockIncomplete {
			notes = append(notes, note)
		}
	}
	for _, environment := range c.covered() {
		for _, note := range c.rec.Environments[environment].Warnings {
			note.Environment = environment
			notes = append(notes, note)
		}
	}
	notes = append(notes, leftOut...)
	if note := c.turns(); note.Rule != "" {
		notes = append(notes, note)
	}
	return append(notes, c.undeclared(result.Verdicts)...)
}

// turns returns the note on the order of imported runs; it is empty for runs of plinth.
func (c *comparer) turns() record.Note {
	if c.rec.Import == nil {
		return record.Note{}
	}
	return map[record.Order]record.Note{
		record.OrderUnknown: {Rule: RuleImported, Text: "the files do not say in which order the runs were made, so there is an effect with its range, but no verdict"},
		record.OrderApart: {Rule: RuleImported,
			Text: "the environments did not alternate: drift of the machine between their runs shows as a difference, so there is an effect with its range, but no verdict"},
		record.OrderMixed: {Rule: RuleImported,
			Text: "the runs cannot be divided into blocks with one run of each environment: there is an effect with its range, but no verdict"},
		record.OrderAlternate: {Rule: RuleImported, Text: "the environments alternated, but plinth did not choose their order at random"},
	}[c.rec.Import.Order]
}

// undeclared returns notes on verdicts, and on a margin, that were requested after the first
// run.
func (c *comparer) undeclared(verdicts []record.Verdict) []record.Note {
	var notes []record.Note
	if declared := float64(c.exp.Margin); c.plan.Margin != declared {
		notes = append(notes, record.Note{
			Rule: "not-declared",
			Text: fmt.Sprintf("a margin of %s %% was not declared before the first run (%s %% was): a margin chosen afterwards can make anything equivalent", plainly(c.plan.Margin), plainly(declared)),
			Hint: "declare the margin in the experiment",
		})
	}
	for _, m := range c.metrics {
		if slices.ContainsFunc(verdicts, func(v record.Verdict) bool {
			return v.Asked && v.Metric == m.Name && !c.isDeclared(pair{v.Workload, v.Baseline, v.Other}, m)
		}) {
			notes = append(notes, record.Note{
				Rule: "not-declared",
				Text: fmt.Sprintf("a verdict by %s against %s was not declared before the first run: among many comparisons some show a difference by chance", m.Title, c.baseline),
				Hint: "declare metric, baseline and compare in the experiment",
			})
		}
	}
	return notes
}

const ruleNoNumber = "no-number"

// withoutNumber returns a note on valid blocks or repeats that have no number: the record
// is damaged, or the metric was not measured.
func withoutNumber(u unusable, noun string, m experiment.Metric) record.Note {
	why := ""
	if u.why != "" {
		why = " (" + u.why + ")"
	}
	return record.Note{Rule: ruleNoNumber, Text: fmt.Sprintf("%s %s left out: a run there has no comparable value for %s%s, so there is no verdict",
		unit.Count(u.units, noun), is(u.units), m.Title, why)}
}

// listing joins names with commas: "a, b".
func listing(names []string) string { return strings.Join(names, ", ") }

// Quantities returns the compared quantities, each once.
func (c *Comparison) Quantities() []record.Quantity {
	var all []record.Quantity
	for _, v := range c.Verdicts {
		if q := (record.Quantity{Workload: v.Workload, Metric: v.Metric}); !slices.Contains(all, q) {
			all = append(all, q)
		}
	}
	return all
}

// Cite adds a warning for each noise of this machine found in other records. The warning states how
// the load of that record differs from that of rec, the compared record. Cite adds nothing if the
// experiment of rec cannot be read.
func (c *Comparison) Cite(rec *record.Record, noise []record.FoundNoise) {
	exp, err := experimentOf(rec)
	if err != nil {
		return // there is no comparison either
	}
	compared := c.Quantities()
	for _, n := range noise {
		if !slices.Contains(compared, record.Quantity{Workload: n.Workload, Metric: n.Metric}) {
			continue
		}
		unit := "%"
		if m, err := experiment.ParseMetric(n.Metric); err == nil && m.Share {
			unit = "points"
		}
		text := fmt.Sprintf("on this machine %s varies by %s %s from block to block between equal environments (%s)", n.Workload, percent(n.PairSD), unit, n.Record)
		if differs := unlike(exp, n.Noise); differs != "" {
			text += ": " + differs
		}
		c.Warnings = append(c.Warnings, record.Note{Rule: "machine-noise", Text: text})
	}
}
