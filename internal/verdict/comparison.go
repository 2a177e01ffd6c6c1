// Package verdict compares environments two at a time: it computes the difference with a confidence
// interval, and decides whether one is better, both are equivalent, or the result is inconclusive.
// It reads only records, so verdicts can be recomputed from old records. docs/method.md describes
// the method; package stats has the arithmetic.
package verdict

import (
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// Schema is the schema of a Comparison as JSON.
const Schema = "plinth/verdict/v1"

// Comparison is the result of comparing the environments of one record, or two records.
type Comparison struct {
	Schema   string       `json:"schema"`
	Records  []string     `json:"records"` // names of their directories; two when records are compared
	Question string       `json:"question"`
	Engine   string       `json:"engine"` // of the first record
	Plan     record.Plan  `json:"plan"`
	Look     *record.Look `json:"look,omitempty"` // the last one reached; nil before the first
	Next     *record.Look `json:"next,omitempty"` // not yet reached
	Repeats  int          `json:"repeats"`        // complete repeats that are used
	Unpaired bool         `json:"unpaired,omitempty"`
	Imported []string     `json:"imported,omitempty"` // the compared environments whose numbers others measured
	Fewest   Fewest       `json:"fewest"`
	Families Families     `json:"families"`
	// Durability counts the acknowledged writes that survived in the compared environments.
	Durability []record.Survival `json:"durability,omitempty"`
	// Verdicts holds the verdicts on workloads, Cells those on single cells (or on client counts, if
	// requested), all against the baseline; both are in the order of the experiment.
	Verdicts []record.Verdict `json:"verdicts"`
	Cells    []record.Verdict `json:"cells"`
	// OtherPairs and OtherCells are those of the other pairs of environments, with compare: all.
	OtherPairs []record.Verdict `json:"other_pairs,omitempty"`
	OtherCells []record.Verdict `json:"other_cells,omitempty"`
	Ranking    []Rank           `json:"ranking,omitempty"` // of three or more environments
	Sentences  []string         `json:"sentences"`         // to quote
	Warnings   []record.Note    `json:"warnings"`
	Noise      []record.Noise   `json:"noise,omitempty"` // only where equal environments were compared
}

// Open reports whether imported numbers prevent verdicts: there are effects with their ranges.
func (c *Comparison) Open() bool { return len(c.Imported) > 0 && c.Look == nil }

func (c *Comparison) words() experiment.Terms { return experiment.TermsOf(c.Engine) }

// Fewest is the minimum number of units for a verdict at the look that is read.
type Fewest struct {
	Workload int `json:"workload"`
	Cell     int `json:"cell"`
}

// Families counts the comparisons by the first metric that actually share the error of a look. They
// may be fewer than the plan's (compare: names some), or different ones: comparisons that were
// requested afterwards share the same error rate among themselves.
type Families struct {
	Workload int `json:"workload"`
	Cell     int `json:"cell"` // 0 where cells are not compared
}

// Decided reports whether every comparison that needs a verdict is decided. Inconclusive and
// invalid comparisons are not decided.
func (c *Comparison) Decided() bool {
	decided := 0
	for _, v := range slices.Concat(c.Verdicts, c.OtherPairs) {
		switch {
		case v.Outcome == record.Better, v.Outcome == record.Worse, v.Outcome == record.Equivalent:
			decided++
		case c.Asked(v):
			return false
		}
	}
	return decided > 0
}

// Asked reports whether v must have an outcome: its comparison was declared, or requested
// afterwards. Invalid comparisons are marked as such in any case.
func (c *Comparison) Asked(v record.Verdict) bool {
	return v.Asked || v.Outcome != "" && v.Outcome != record.Unfit
}
