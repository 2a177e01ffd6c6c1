package search

import "slices"

// A Risk is a class of what a value may cost that the runs of a search do not show.
type Risk string

// The risks, and NoRisk of a value that has none.
const (
	NoRisk   Risk = ""
	Recovery Risk = "recovery" // recovery after a crash takes longer
	Memory   Risk = "memory"   // a different load may run out of memory
	Later    Risk = "later"    // work is put off, perhaps until after a run
	Queries  Risk = "queries"  // queries that the load does not have may become slower
)

// Risks are all risks.
var Risks = []Risk{Recovery, Memory, Later, Queries}

// About describes a risk in a clause.
func (r Risk) About() string {
	switch r {
	case Recovery:
		return "recovery after a crash takes longer"
	case Memory:
		return "a different load may run out of memory"
	case Later:
		return "work is put off, perhaps until after a run"
	case Queries:
		return "queries that the load does not have may become slower"
	}
	return string(r)
}

// The levels of a dimension that have its risk, against where a search begins: by default the larger ones of an ordered dimension,
// and all others of one without an order.
const (
	smaller = "smaller"
	others  = "others"
)

// risks reports whether a level has the risk of its dimension if a search begins at another one.
func (spec dimensionSpec) risks(level, start int) bool {
	switch {
	case spec.Risky == smaller:
		return level < start
	case spec.Ordered && spec.Risky != others:
		return level > start
	}
	return level != start
}

// assess notes the risks of levels, and removes the levels whose risk is refused.
func (d *Dimension) assess(spec dimensionSpec, refused []Risk) {
	if spec.Risk == NoRisk {
		return
	}
	var kept []Level
	start := d.Start
	for i, l := range d.Levels {
		if spec.risks(i, d.Start) {
			l.Risk = spec.Risk
		}
		if l.Risk != NoRisk && slices.Contains(refused, l.Risk) {
			if i < d.Start {
				start--
			}
			continue
		}
		kept = append(kept, l)
	}
	d.Levels, d.Start = kept, start
}
