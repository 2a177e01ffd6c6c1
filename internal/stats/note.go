package stats

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

const (
	// farOut is how many robust standard deviations from the median a unit is far
	// from the others: of normal values one in 16,000 is.
	farOut = 4
	// fewestForTails is how many units it takes to speak of tails or neighbours.
	fewestForTails = 12
)

// method says how p was made, and what it assumes.
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

// ties: a measure so coarse, or so stuck, that units repeat each other.
func (t *Test) ties() (Note, bool) {
	for _, sample := range t.samples {
		if same := t.mostAlike(sample); len(sample) > 2 && 2*same >= len(sample) {
			return Note{RuleTies, fmt.Sprintf("%d of %d units are equal: the resolution of the metric may be too low, or it was not measured", same, len(sample))}, true
		}
	}
	return Note{}, false
}

// mostAlike is the size of the largest group of equal values.
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

// oneUnit: without one outlier the effect would have the other sign, or be half as
// great or half as great again, and moves by more than chance does. That it is an
// outlier is asked first, and that it moves the mean by a standard error of the
// units: where there is no effect, any unit turns the sign of the little that is left.
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

// heavyTails: outliers, but none that carries the result alone.
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

// autocorrelation of neighbours. Flips were drawn anew for each unit, so a paired
// test stays valid; the times of two unpaired samples were not randomised.
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

// unequalSpread: with unequal sizes, too, exchanging is no longer fair.
func (t *Test) unequalSpread() (Note, bool) {
	if len(t.samples) < 2 || len(t.samples[0]) == len(t.samples[1]) || t.N() < 4 {
		return Note{}, false
	}
	a, b := deviation(len(t.samples[0])-1, t.samples[0]), deviation(len(t.samples[1])-1, t.samples[1])
	text := "the samples differ in size, and by more than a factor of two in spread: p and the interval are approximate"
	return Note{RuleUnequalSpread, text}, max(a, b) > 2*min(a, b)+t.slack
}

// robust are the median, and the median distance from it, scaled to be the
// standard deviation of normal values.
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

// lag1 is the correlation of deviations with the ones before them, in [-1, 1].
func lag1(deviations []float64) float64 {
	all := floats.Dot(deviations, deviations)
	if all == 0 {
		return 0
	}
	return floats.Dot(deviations[1:], deviations[:len(deviations)-1]) / all
}

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
