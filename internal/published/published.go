// Package published lists the publications that plinth's built-in experiments redo. For each of
// their tables and claims, it has the command that redoes it, and the result. It also lists
// published figures that contradict each other.
package published

import (
	_ "embed"

	"plinth/internal/strictyaml"
)

//go:embed published.yaml
var data []byte

// Outcome tells whether a claim holds.
type Outcome string

// The outcomes. Only an effect whose interval excludes the opposite confirms or refutes a claim.
const (
	Confirmed Outcome = "confirmed"
	Refuted   Outcome = "refuted"
	Undecided Outcome = "undecided" // tried, and the interval decides nothing, or the runs cannot show what is claimed
	NotTried  Outcome = "not tried" // not on the machine of these results, or not yet
	Form      Outcome = "form"      // a table whose layout a command prints; its numbers are those of other hardware
)

// Outcomes returns all outcomes.
func Outcomes() []Outcome { return []Outcome{Confirmed, Refuted, Undecided, NotTried, Form} }

// List is the whole list.
type List struct {
	Schema string `json:"schema" yaml:"schema"`
	// Measured describes where and when the results were measured.
	Measured     string        `json:"measured" yaml:"measured"`
	Publications []Publication `json:"publications" yaml:"publications"`
}

// Publication is an article or document.
type Publication struct {
	Title          string          `json:"title" yaml:"title"`
	Author         string          `json:"author" yaml:"author"` // "" if it names none
	Claims         []Claim         `json:"claims" yaml:"claims"`
	Contradictions []Contradiction `json:"contradictions" yaml:"contradictions"`
}

// Claim is a claim or a table of a publication.
type Claim struct {
	Where   string  `json:"where" yaml:"where"` // its section
	Claim   string  `json:"claim" yaml:"claim"` // with its figures
	Redo    string  `json:"redo" yaml:"redo"`   // the command
	Outcome Outcome `json:"outcome" yaml:"outcome"`
	// Found gives the measurement with its interval, or the reason why there is none.
	Found string `json:"found" yaml:"found"`
}

// Contradiction is a figure that cannot be right, with the arithmetic.
type Contradiction struct {
	Where string `json:"where" yaml:"where"`
	Why   string `json:"why" yaml:"why"`
}

// Load returns the list.
func Load() (*List, error) {
	var list List
	return &list, strictyaml.Decode(data, &list)
}
