package verdict_test

import (
	"reflect"
	"testing"

	"plinth/internal/record"
	"plinth/internal/verdict"
)

// TestQuoteSaysWhatTheComparisonSays, from what the summary alone holds.
func TestQuoteSaysWhatTheComparisonSays(t *testing.T) {
	for _, repeats := range []string{"repeats: 3", "repeats: 6", "repeats: 20"} {
		for _, factor := range []float64{0.7, 1, 1.3} {
			rec := made(t, file(repeats), memory(factor))
			c := of(t, rec, verdict.Options{})
			if got := verdict.Quote(*rec.Summary.Plan, c.Verdicts); len(got) == 0 || !reflect.DeepEqual(got, c.Sentences) {
				t.Errorf("%s, %g: %q, the comparison says %q", repeats, factor, got, c.Sentences)
			}
		}
	}
	if got := verdict.Quote(record.Plan{}, nil); len(got) != 0 {
		t.Errorf("of no verdicts: %q", got)
	}
}
