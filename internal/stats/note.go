package stats

// Note is an assumption or a warning that belongs to a result. Rule is short and
// stable; Text is for people.
type Note struct{ Rule, Text string }

// Rules of the notes on tests. The first two say how a p was made, which is no
// weakness; all others are warnings.
const (
	RuleExact = "exact" // all orders were listed
	RuleDrawn = "drawn" // so many orders were drawn, from this seed

	RuleFewUnits        = "few-units"       // no 95 % interval, only a range
	RuleTies            = "ties"            // half of the units or more are the same
	RuleOneUnit         = "one-unit"        // one unit far from the others carries the result
	RuleHeavyTails      = "heavy-tails"     // outliers make the interval wide
	RuleAutocorrelation = "autocorrelation" // neighbours depend on each other
	RuleUnequalSpread   = "unequal-spread"  // two samples of unequal size and spread
)

// Warning says whether a note weakens the result, and is no mere assumption.
func (n Note) Warning() bool { return n.Rule != RuleExact && n.Rule != RuleDrawn }

// Notes are the assumptions and warnings of a test: first how p was made, then
// what weakens it.
func (t *Test) Notes() []Note {
	notes := []Note{t.method()}
	for _, warn := range []func() (Note, bool){t.fewUnits, t.ties, t.oneUnit, t.heavyTails, t.autocorrelation, t.unequalSpread} {
		if note, ok := warn(); ok {
			notes = append(notes, note)
		}
	}
	return notes
}
