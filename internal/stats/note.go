package stats

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

const (
	// farOut is the distance of an outlier from the median in robust standard deviations: one
	// in 16,000 normal values is an outlier.
	farOut = 4
	// fewestForTails is the minimum number of units for notes on tails or neighbours.
	fewestForTails = 12
)

// method says how p was computed, and what it assumes.
func (t *Test) method() Note {
	what := "sign flips; this only assumes that the order inside each unit was random"
	if len(t.samples) > 1 {
		what = "exchanges of unpaired units; this assumes that the two samples differ only by a shift, not by when they were taken"
	}
	if t.exact {
		return Note{RuleExact, "p is exact over all " + what}
	}
	return Note{RuleDrawn, fmt.Sprintf("p is from %d random %s (seed %d)", draws, what, t.seed)}
}

func (t *Test) fewUnits() (Note, bool) {
	text := fmt.Sprintf("%d units are too few for a 95 %% interval: only the range of the units is shown", t.N())
	return Note{RuleFewUnits, text}, t.leastAlpha() > usual
}

// ties warns if half of the units or more are equal.
func (t *Test) ties() (Note, bool) {
	for _, sample := range t.samples {
		if same := t.mostAlike(sample); len(sample) > 2 && 2*same >= len(sample) {
			return Note{RuleTies, fmt.Sprintf("%d of %d units are equal: the resolution of the metric may be too low, or it was not measured", same, len(sample))}, true
		}
	}
	return Note{}, false
}

// mostAlike returns the size of the largest group of equal values.
func (t *Test) mostAlike(sample []float64) int {
	sorted := slices.Sorted(slices.Values(sample))
	most, first := 0, 0
	for i, v := range sorted {
		for v-sorted[first] > t.slack {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}

// oneUnit warns if the effect without one outlier would have the other sign, or change by more
// than half. The outlier must also move the mean by more than a standard error of the units: if
// there is no effect, any unit changes the sign of the remainder.
func (t *Test) oneUnit() (Note, bool) {
	for which, sample := range t.samples {
		for i, v := range sample {
			moved := math.Abs(v) / float64(len(sample)-1)
			middle, spread := robust(sample)
			chance := spread / math.Sqrt(float64(len(sample)))
			// An outlier, among at least four.
			isFarOut := len(sample) >= 4 && math.Abs(v-middle) > farOut*spread+t.slack
			if isFarOut && 2*moved > math.Abs(t.mean) && moved > chance {
				text := fmt.Sprintf("unit %d of %d%s is an outlier that determines the result: without it the effect changes by more than half", i+1, len(sample), t.within(which))
				return Note{RuleOneUnit, text}, true
			}
		}
	}
	return Note{}, false
}

// within names a sample where there are two.
func (t *Test) within(which int) string {
	if len(t.samples) == 1 {
		return ""
	}
	return [...]string{" in the first sample", " in the second sample"}[which]
}

// heavyTails warns of outliers, none of which determines the result.
func (t *Test) heavyTails() (Note, bool) {
	if _, ok := t.oneUnit(); ok {
		return Note{}, false
	}
	for _, sample := range t.samples {
		_, spread := robust(sample)
		if len(sample) >= fewestForTails && spread > t.slack && deviation(len(sample)-1, sample) > 2*spread {
			return Note{RuleHeavyTails, "a few units are outliers: the test is valid, but they widen the interval"}, true
		}
	}
	return Note{}, false
}

// autocorrelation warns of dependent neighbours. Each unit's order was random, so a paired test
// stays valid; the times of unpaired samples were not.
func (t *Test) autocorrelation() (Note, bool) {
	for _, sample := range t.samples {
		r := lag1(sample)
		if len(sample) < fewestForTails || math.Abs(r) <= 2/math.Sqrt(float64(len(sample))) {
			continue
		}
		text := fmt.Sprintf("neighbouring units depend on each other (lag-1 autocorrelation %.2f): the random order keeps the test valid, but reduces its power", r)
		if len(t.samples) > 1 {
			text = fmt.Sprintf("neighbouring units depend on each other (lag-1 autocorrelation %.2f), and the order of these samples was not random: p and the interval are approximate", r)
		}
		return Note{RuleAutocorrelation, text}, true
	}
	return Note{}, false
}

// unequalSpread: with unequal sizes, too, units are not exchangeable.
func (t *Test) unequalSpread() (Note, bool) {
	if len(t.samples) < 2 || len(t.samples[0]) == len(t.samples[1]) || t.N() < 4 {
		return Note{}, false
	}
	a, b := deviation(len(t.samples[0])-1, t.samples[0]), deviation(len(t.samples[1])-1, t.samples[1])
	text := "the samples differ in size, and by more than a factor of two in spread: p and the interval are approximate"
	return Note{RuleUnequalSpread, text}, max(a, b) > 2*min(a, b)+t.slack
}

// robust returns the median and the median absolute deviation, scaled to the standard deviation
// of normal values.
func robust(sample []float64) (middle, spread float64) {
	sorted := slices.Sorted(slices.Values(sample))
	middle = median(sorted)
	for i, v := range sorted {
		sorted[i] = math.Abs(v - middle)
	}
	slices.Sort(sorted)
	return middle, 1.4826 * median(sorted)
}

func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// lag1 returns the lag-1 autocorrelation of deviations, in [-1, 1].
func lag1(deviations []float64) float64 {
	all := floats.Dot(deviations, deviations)
	if all == 0 {
		return 0
	}
	return floats.Dot(deviations[1:], deviations[:len(deviations)-1]) / all
}

// Note is an assumption of a result, or a warning about it. Rule is short and stable; Text is
// for people.
type Note struct{ Rule, Text string }

// Rules of the notes on tests. The first two say how p was computed; all others are warnings.
const (
	RuleExact = "exact" // all orders were listed
	RuleDrawn = "drawn" // random orders were drawn, from a seed

	RuleFewUnits        = "few-units"       // no 95 % interval, only a range
	RuleTies            = "ties"            // at least half of the units are equal
	RuleOneUnit         = "one-unit"        // one outlier determines the result
	RuleHeavyTails      = "heavy-tails"     // outliers make the interval wide
	RuleAutocorrelation = "autocorrelation" // neighbours depend on each other
	RuleUnequalSpread   = "unequal-spread"  // two samples of unequal size and spread
)

// Warning reports whether a note weakens the result.
func (n Note) Warning() bool { return n.Rule != RuleExact && n.Rule != RuleDrawn }

// Notes returns the notes on a test: first how p was computed, then warnings.
func (t *Test) Notes() []Note {
	notes := []Note{t.method()}
	for _, warn := range []func() (Note, bool){t.fewUnits, t.ties, t.oneUnit, t.heavyTails, t.autocorrelation, t.unequalSpread} {
		if note, ok := warn(); ok {
			notes = append(notes, note)
		}
	}
	return notes
}
