package verdict

import (
	"plinth/internal/record"
	"plinth/internal/stats"
)

// Quote is the sentences of verdicts as a record's summary holds them, without
// reading its runs: a list of records shows them. They are those of Of at the look
// that the record reached.
func Quote(plan record.Plan, verdicts []record.Verdict) []string {
	alpha := 0.0
	if n := len(plan.Looks); n > 0 {
		alpha = plan.Looks[n-1].Alpha
	}
	return sentences(&Comparison{
		Plan: plan, Verdicts: verdicts, Fewest: Fewest{Workload: stats.Fewest(alpha, plan.Family)},
	})
}
