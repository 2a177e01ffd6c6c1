package serve

import (
	"strings"

	"plinth/internal/record"
	"plinth/internal/report/compare"
	"plinth/internal/report/durability"
)

// answerOf is the answer of a record as its page begins with it: what was lost of
// what had been acknowledged, and the verdicts. "" while it runs, or where there is neither.
func answerOf(e record.Entry) string {
	sentences := durability.Losses(e.Durability)
	if e.Plan == nil {
		return strings.Join(sentences, " ")
	}
	if answer := compare.AnswerOf(e.Engine, *e.Plan, e.Verdicts); answer != "" {
		sentences = append(sentences, answer)
	}
	return strings.Join(sentences, " ")
}
