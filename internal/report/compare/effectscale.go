package compare

import "plinth/internal/verdict"

// effectScale is in what effects are drawn.
type effectScale struct{ unit string }

// newEffectScale takes ratios where per cents would squash what is small: to double
// and to halve are as far from each other as they are from nothing.
func newEffectScale(rows []VerdictRow) effectScale {
	unit := "%"
	for _, r := range rows {
		switch {
		case !r.HasNumber():
		case r.Difference:
			return effectScale{"pp"}
		case verdict.InFactors(r.Verdict) || r.High > 1 || r.Low < -0.5:
			unit = "x"
		}
	}
	return effectScale{unit}
}

func (s effectScale) of(share float64) float64 {
	if s.unit == "x" {
		return 1 + share
	}
	return 100 * share
}

func (s effectScale) margin(share float64) float64 {
	if s.unit == "x" {
		return share
	}
	return 100 * share
}
