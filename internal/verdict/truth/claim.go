package truth

import (
	"fmt"

	"gonum.org/v1/gonum/stat/distuv"
)

// Claim is an assertion about a share, made before counting: that it lies in [Low, High].
type Claim struct{ Low, High float64 }

// nothing is the claim of figures that only describe.
var nothing = Claim{0, 1}

func atMost(share float64) Claim  { return Claim{0, share} }
func atLeast(share float64) Claim { return Claim{share, 1} }

// String formats the claim for tables.
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

// Figure is a counted share: Yes of Trials.
type Figure struct{ Yes, Trials int }

// Share returns Yes as a share of Trials.
func (f Figure) Share() float64 { return float64(f.Yes) / float64(f.Trials) }

// Refutes reports whether f contradicts a claim: whether a figure this far from it would
// be rarer than luck if the claim were true. It uses the one-sided exact binomial tests
// (Clopper and Pearson, 1934), because approximations fail for shares near zero.
func (f Figure) Refutes(c Claim, luck float64) bool {
	n, k := float64(f.Trials), float64(f.Yes)
	tooMany := c.High < 1 && f.Yes > 0 && distuv.Binomial{N: n, P: c.High}.CDF(k-1) > 1-luck
	tooFew := c.Low > 0 && distuv.Binomial{N: n, P: c.Low}.CDF(k) < luck
	return tooMany || tooFew
}

func (f Figure) plus(g Figure) Figure { return Figure{f.Yes + g.Yes, f.Trials + g.Trials} }

func percent(share float64) string { return fmt.Sprintf("%.4g %%", 100*share) }
