package compare

import (
	"strings"

	"plinth/internal/record"
	"plinth/internal/verdict"
)

// Answer is the answer in sentences, with intervals; "" where there is none.
func (c *Report) Answer() string {
	var sentences []string
	for kind := range leadKinds {
		for _, p := range c.pairs {
			if text := c.lead(p, c.leadKinds(p)[kind]); text != "" {
				sentences = append(sentences, text)
			}
		}
	}
	return strings.Join(sentences, " ")
}

// AnswerOf is the answer of verdicts alone on an engine, as a list of records shows
// it: "" where there is none.
func AnswerOf(engine string, plan record.Plan, verdicts []record.Verdict) string {
	return New(&verdict.Comparison{Engine: engine, Plan: plan, Verdicts: verdicts}).Answer()
}
