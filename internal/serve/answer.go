package serve

import (
	"plinth/internal/record"
	"plinth/internal/verdict"
)

// answerOf is the first sentence to quote of a record, "" while it runs, or where
// nothing is compared.
func answerOf(e record.Entry) string {
	if e.Plan == nil {
		return ""
	}
	if sentences := verdict.Quote(*e.Plan, e.Verdicts); len(sentences) > 0 {
		return sentences[0]
	}
	return ""
}
