package serve

import (
	"plinth/internal/record"
	"plinth/internal/report"
)

// answerOf is the answer of a record as its page begins with it, "" while it runs, or
// where nothing is compared.
func answerOf(e record.Entry) string {
	if e.Plan == nil {
		return ""
	}
	return report.AnswerOf(*e.Plan, e.Verdicts)
}
