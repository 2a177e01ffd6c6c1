package stats

import "math"

// Look is a point at which the numbers may be looked at.
type Look struct {
	Repeat int     // complete repeats by then
	Units  int     // of one workload by then
	Alpha  float64 // what is spent here of the 5 % in all
}

// Shares of alpha in thousandths: what is left is then no rounding error.
const (
	firstShare, secondShare, wholeShare = 10, 15, 50

	fewestForLooks = 20 // with fewer units than these there is one look, at the end
	fewestAtSecond = 12
)

// Looks are the points at which an experiment may be looked at, fixed before its
// first run. Alphas add up to 0.05, so looking at all of them and stopping at the
// first that decides is wrong in at most 5 % of experiments (Bonferroni over the
// looks: O'Brien and Fleming's bounds spend less early, but hold for normal sums
// only). PerRepeat is how many units a complete repeat adds for one workload;
// family is how many comparisons share the error. There are none without units.
func Looks(perRepeat, repeats, family int) []Look {
	if perRepeat < 1 || repeats < 1 {
		return nil
	}
	all := perRepeat * repeats
	left := wholeShare
	var looks []Look
	look := func(repeat, share int) {
		looks = append(looks, Look{Repeat: repeat, Units: repeat * perRepeat, Alpha: float64(share) / 1000})
		left -= share
	}
	if all >= fewestForLooks {
		first := repeatsFor(Fewest(firstShare/1000.0, family), perRepeat)
		second := repeatsFor(max(fewestAtSecond, (all+1)/2), perRepeat)
		if first < min(second, repeats) {
			look(first, firstShare)
		}
		if second < repeats {
			look(second, secondShare)
		}
	}
	look(repeats, left)
	return looks
}

// repeatsFor is how many complete repeats bring at least so many units.
func repeatsFor(units, perRepeat int) int { return (units + perRepeat - 1) / perRepeat }

// Fewest is the smallest number of units at which a difference can be decided at
// all: the least p of n sign flips is 2/2^n, and the strictest of several
// comparisons has to reach alpha/comparisons. Fewer comparisons than one count as
// one. It is math.MaxInt when alpha is not positive.
func Fewest(alpha float64, comparisons int) int {
	share := alpha / float64(max(comparisons, 1))
	if !(share > 0) {
		return math.MaxInt
	}
	n := 1
	for math.Ldexp(2, -n) > share {
		n++
	}
	return n
}
