package compare

import (
	"fmt"
	"strings"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/verdict"
)

// Answer returns the answer in sentences, with intervals; "" if none exists.
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

// AnswerOf returns the answer from verdicts alone, for lists of records; "" if none exists.
func AnswerOf(engine string, plan record.Plan, verdicts []record.Verdict) string {
	return New(&verdict.Comparison{Engine: engine, Plan: plan, Verdicts: verdicts}).Answer()
}

// ranking ranks the environments as far as verdicts support it.
func (c *Report) ranking() prose.List {
	var workloads []string
	places := map[string][]string{}
	ties := false
	for _, r := range c.Ranking {
		if places[r.Workload] == nil {
			workloads = append(workloads, r.Workload)
		}
		places[r.Workload] = append(places[r.Workload], fmt.Sprintf("%d. %s", r.Place, strings.Join(r.Environments, " = ")))
		ties = ties || len(r.Environments) > 1
	}
	var lines prose.List
	for _, w := range workloads {
		lines = append(lines, "ranking for "+w+": "+strings.Join(places[w], ", "))
	}
	if ties {
		lines = append(lines, "= joins environments that no verdict separates")
	}
	return lines
}

// lead returns a sentence about the workloads of a pair with the same outcome by the deciding
// metric: "memory is better than disk for tpcb-like: TPS +64 % (97.5 % interval +30 to +122
// %)."
func (c *Report) lead(p pair, kind leadKind) string {
	var parts []string
	for _, r := range p.verdicts {
		if c.Decides(r.Metric) && r.says() && kind.holds(r) {
			parts = append(parts, r.leadPart(c.Plan.Margin))
		}
	}
	if parts == nil {
		return ""
	}
	return kind.text + " " + strings.Join(parts, "; for ") + "."
}

// leadKinds is the number of outcomes.
const leadKinds = 7

// leadKind is an outcome that several workloads may share.
type leadKind struct {
	text  string
	holds func(VerdictRow) bool
}

// leadKinds returns the outcomes in the order of an answer: known results first.
func (c *Report) leadKinds(p pair) [leadKinds]leadKind {
	few := func(r VerdictRow) bool {
		return r.HasNumber() && (r.Outcome == "" && c.Look != nil && r.asked || r.Outcome == record.Inconclusive) && r.N < c.Fewest.Workload
	}
	is := func(word record.Outcome) func(VerdictRow) bool {
		return func(r VerdictRow) bool { return r.Outcome == word && !few(r) }
	}
	yet := " yet"
	if c.over {
		yet = ""
	}
	return [leadKinds]leadKind{
		{p.other + " is better than " + p.baseline + " for", is(record.Better)},
		{p.other + " is worse than " + p.baseline + " for", is(record.Worse)},
		{p.other + " and " + p.baseline + " are equivalent for", is(record.Equivalent)},
		{"Whether " + p.other + " differs from " + p.baseline + " is not decided for", is(record.Inconclusive)},
		{fmt.Sprintf("Too few %ss for a verdict on %s against %s (at least %d are needed) for", c.Unit(), p.other, p.baseline, c.Fewest.Workload), few},
		{"There is no verdict on " + p.other + " against " + p.baseline + yet + " for", is("")},
		{p.other + " cannot be compared with " + p.baseline + " for", is(record.Unfit)},
	}
}

// leadPart returns a workload with its signed effect and interval; without a number, the
// reason.
func (r VerdictRow) leadPart(margin float64) string {
	if !r.HasNumber() {
		if len(r.Warnings) > 0 {
			return r.Workload + " (" + r.Warnings[0].Text + ")"
		}
		return r.Workload
	}
	text := r.Workload + ": " + MetricTitle(r.words, r.Metric) + " " + Effect(r.Verdict, margin)
	if limits := SignedSpan(r.Verdict, margin); limits != "" {
		text += " (" + LevelName(r.Level) + " " + limits + ")"
	}
	return text
}
