package stats

import "math"

// Look is a point at which verdicts may be read.
type Look struct {
	Repeat int     // complete repeats by then
	Units  int     // of one workload by then
	Alpha  float64 // spent here, of 5 % in total
}

// Shares of alpha in thousandths, so that the rest is exact.
const (
	firstShare, secondShare, wholeShare = 10, 15, 50

	fewestForLooks = 20 // with fewer units there is one look, at the end
	fewestAtSecond = 12
)

// Looks returns the looks of an experiment, fixed before its first run. Their alphas add up to
// 0.05, so reading all of them and stopping at the first that decides is wrong in at most 5 %
// of experiments (Bonferroni over the looks: O'Brien and Fleming's bounds spend less early, but
// hold for normal sums only). PerRepeat is how many units a complete repeat adds for one
// workload; family is how many comparisons share the error. Without units it returns nil.
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

// repeatsFor returns how many complete repeats that many units take.
func repeatsFor(units, perRepeat int) int { return (units + perRepeat - 1) / perRepeat }

// Fewest returns the smallest number of units at which a difference can be decided: the
// smallest p of n sign flips is 2/2^n, and the strictest of several comparisons has to reach
// alpha/comparisons. Fewer comparisons than one count as one. It returns math.MaxInt if alpha
// is not positive.
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
