// Package verdict says which environment is better, only when that is known, and
// how sure it is. It is made from records alone, so it can be made again from old
// ones. The method is in docs/method.md, the arithmetic in package stats.
package verdict

import (
	"plinth/internal/experiment"
	"plinth/internal/record"
)

// Schema is the schema of a Comparison as JSON.
const Schema = "plinth/verdict/v1"

// Comparison is what a record (or two) says about which environment is better.
type Comparison struct {
	Schema   string       `json:"schema"`
	Records  []string     `json:"records"` // names of their directories; two when records are compared
	Question string       `json:"question"`
	Engine   string       `json:"engine"` // of the first record
	Plan     record.Plan  `json:"plan"`
	Look     *record.Look `json:"look,omitempty"` // the last one reached; nil before the first
	Next     *record.Look `json:"next,omitempty"` // the one to come
	Repeats  int          `json:"repeats"`        // complete ones that are used
	Unpaired bool         `json:"unpaired,omitempty"`
	Fewest   Fewest       `json:"fewest"`
	Families Families     `json:"families"`
	// Durability is what the environments that are compared kept of what they had
	// acknowledged.
	Durability []record.Struck `json:"durability,omitempty"`
	// Verdicts are those of workloads (or of clients, when asked for), Cells those
	// of single cells; both in the order of the experiment.
	Verdicts  []record.Verdict `json:"verdicts"`
	Cells     []record.Verdict `json:"cells"`
	Ranking   []Rank           `json:"ranking,omitempty"` // of three or more environments
	Sentences []string         `json:"sentences"`         // to quote
	Warnings  []record.Note    `json:"warnings"`
	Noise     []record.Noise   `json:"noise,omitempty"` // when equals were compared
}

func (c *Comparison) words() experiment.Words { return experiment.WordsOf(c.Engine) }

// Fewest is how many units a verdict takes at least, at the look that is read.
type Fewest struct {
	Workload int `json:"workload"`
	Cell     int `json:"cell"`
}

// Families is how many comparisons by the first metric really share the error of a
// look. They may be fewer than the plan's (compare: names some), or others: those
// that were asked for afterwards share as much among themselves.
type Families struct {
	Workload int `json:"workload"`
	Cell     int `json:"cell"` // 0 where cells are not compared
}

// Decided says whether each comparison that has to be decided is: inconclusive is
// not, and neither is invalid.
func (c *Comparison) Decided() bool {
	decided := 0
	for _, v := range c.Verdicts {
		switch {
		case v.Word == record.Better, v.Word == record.Worse, v.Word == record.Equivalent:
			decided++
		case c.Asked(v):
			return false
		}
	}
	return decided > 0
}

// Asked says whether a word is due on v: it was to be decided, or somebody asked
// for it. That a comparison is invalid is said of all.
func (c *Comparison) Asked(v record.Verdict) bool {
	return v.Asked || v.Word != "" && v.Word != record.Unfit
}
