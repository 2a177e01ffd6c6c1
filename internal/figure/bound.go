package figure

import (
	"math"
	"regexp"
	"strconv"
)

// bound is the values that have a grade, in the unit of the figure.
type bound struct {
	low, high         float64
	withLow, withHigh bool
	none              string // in their place: the figure that must be 0
	written           string // "below 10 %"
	text              string // for people: the same, or what stands in its place
}

func (b bound) holds(value float64) bool {
	above := value > b.low || b.withLow && value == b.low
	below := value < b.high || b.withHigh && value == b.high
	return above && below
}

// overlaps says whether two bounds have more than one value in common. The values of
// another figure are nothing to those of this one.
func (b bound) overlaps(other bound) bool {
	return b.none == "" && other.none == "" && max(b.low, other.low) < min(b.high, other.high)
}

var (
	inWords   = regexp.MustCompile(`^(.*?) *\(([^()]+)\)$`)
	oneSided  = regexp.MustCompile(`^(below|above|at least|at most) ([0-9]+(?:\.[0-9]+)?)$`)
	twoSided  = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) to ([0-9]+(?:\.[0-9]+)?)$`)
	nothingOf = regexp.MustCompile(`^no ([a-z0-9-]+)$`)
)

// parseBound reads one: "below 10", "10 to 30", "no buffers-clean (zero)"; ok is
// false for any other text.
func parseBound(text string, unit measure) (b bound, ok bool) {
	b = bound{low: math.Inf(-1), high: math.Inf(1)}
	words := inWords.FindStringSubmatch(text)
	if words != nil {
		text = words[1]
	}
	b.written = unit.with(text)
	one, two, none := oneSided.FindStringSubmatch(text), twoSided.FindStringSubmatch(text), nothingOf.FindStringSubmatch(text)
	switch {
	case one != nil:
		b.limit(one[1], one[2], unit)
	case two != nil:
		b.limit("at least", two[1], unit)
		b.limit("at most", two[2], unit)
	case none != nil:
		b.none, b.written = none[1], text
		b.limit("at least", "0", unit)
		b.limit("at most", "0", unit)
	}
	b.text = b.written
	if words != nil {
		b.text = words[2]
	}
	return b, (one != nil || two != nil || none != nil) && b.low <= b.high
}

// limit sets one side. The number has digits only, so that it can be read.
func (b *bound) limit(side, number string, unit measure) {
	value, _ := strconv.ParseFloat(number, 64)
	value *= unit.size
	switch side {
	case "below", "at most":
		b.high, b.withHigh = value, side == "at most"
	default:
		b.low, b.withLow = value, side == "at least"
	}
}
