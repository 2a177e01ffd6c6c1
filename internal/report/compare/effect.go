package compare

import (
	"math"
	"strings"

	"plinth/internal/record"
	"plinth/internal/report/phrase"
	"plinth/internal/verdict"
)

// Effect formats the effect of a verdict: "+18 %", "-0.4 %", "x 12.4", or "+2.1 pp" (percentage
// points) for a share.
func Effect(v record.Verdict, margin float64) string {
	switch {
	case !HasNumber(v):
		return phrase.None
	case v.Difference:
		return verdict.Signed(v.Effect*100, verdict.Digits(v, margin)) + " pp"
	case verdict.InFactors(v):
		return "x " + phrase.Times(1+v.Effect)
	}
	return verdict.Signed(v.Effect*100, verdict.Digits(v, margin)) + " %"
}

// Span formats the interval or range of a verdict in the unit of its effect: "12 to 25 %". A
// single block has none.
func Span(v record.Verdict, margin float64) string {
	switch {
	case !HasNumber(v) || v.N < 2:
		return phrase.None
	case !v.Difference && verdict.InFactors(v):
		return "x " + phrase.Times(1+v.Low) + " to " + phrase.Times(1+v.High)
	}
	d, unit := verdict.Digits(v, margin), " %"
	if v.Difference {
		unit = " pp"
	}
	return verdict.Fixed(v.Low*100, d) + " to " + verdict.Fixed(v.High*100, d) + unit
}

// SignedSpan is like Span with the signs of both ends, "+30 to +122 %"; factors have no sign.
// It returns "" if there is no span.
func SignedSpan(v record.Verdict, margin float64) string {
	limits := Span(v, margin)
	if limits == phrase.None || !v.Difference && verdict.InFactors(v) {
		return strings.TrimSuffix(limits, phrase.None)
	}
	d, unit := verdict.Digits(v, margin), " %"
	if v.Difference {
		unit = " pp"
	}
	return verdict.Signed(v.Low*100, d) + " to " + verdict.Signed(v.High*100, d) + unit
}

// HasNumber reports whether v has a number to show. An invalid verdict has none, whatever it
// contains.
func HasNumber(v record.Verdict) bool {
	if v.Outcome == record.Unfit || v.N == 0 {
		return false
	}
	for _, f := range []float64{v.A, v.B, v.Effect, v.Low, v.High} {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return false
		}
	}
	return true
}
