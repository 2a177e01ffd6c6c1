package truth

import (
	"fmt"

	"gonum.org/v1/gonum/stat/distuv"
)

// Claim is what is said of a share before it is counted: that it lies in
// [Low, High].
type Claim struct{ Low, High float64 }

// nothing is claimed of figures that only describe.
var nothing = Claim{0, 1}

func atMost(share float64) Claim  { return Claim{0, share} }
func atLeast(share float64) Claim { return Claim{share, 1} }

// String is the claim as tables have it.
func (c Claim) String() string {
	switch {
	case c == nothing:
		return ""
	case c.Low == 0:
		return "at most " + percent(c.High)
	case c.High == 1:
		return "at least " + percent(c.Low)
	}
	return percent(c.Low) + " to " + percent(c.High)
}

// Figure is a share that was counted.
type Figure struct{ Yes, Trials int }

// Share is the share of trials.
func (f Figure) Share() float64 { return float64(f.Yes) / float64(f.Trials) }

// Refutes says whether a claim cannot be upheld: if it were true, a figure as far
// from it would be rarer than luck. These are the one-sided exact binomial tests
// (Clopper and Pearson, 1934): no approximation fails for shares near zero.
func (f Figure) Refutes(c Claim, luck float64) bool {
	n, k := float64(f.Trials), float64(f.Yes)
	tooMany := c.High < 1 && f.Yes > 0 && distuv.Binomial{N: n, P: c.High}.CDF(k-1) > 1-luck
	tooFew := c.Low > 0 && distuv.Binomial{N: n, P: c.Low}.CDF(k) < luck
	return tooMany || tooFew
}

func (f Figure) plus(g Figure) Figure { return Figure{f.Yes + g.Yes, f.Trials + g.Trials} }

func percent(share float64) string { return fmt.Sprintf("%.4g %%", 100*share) }
