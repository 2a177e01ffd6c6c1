package report

import (
	"fmt"
	"strings"

	"plinth/internal/record"
)

// lead is what is said alike of the workloads of a pair, by the metric that decides:
// "memory is better than disk for tpcb-like: TPS +64 % (97.5 % interval +30 to
// +122 %)."
func (c *comparison) lead(p pair, kind leadKind) string {
	var parts []string
	for _, r := range p.verdicts {
		if c.decides(r.Metric) && r.says() && kind.holds(r) {
			parts = append(parts, r.leadPart(c.Plan.Margin))
		}
	}
	if parts == nil {
		return ""
	}
	return kind.text + " " + strings.Join(parts, "; for ") + "."
}

// leadKinds is how many kinds there are.
const leadKinds = 7

// leadKind is what is said alike of several workloads.
type leadKind struct {
	text  string
	holds func(verdictRow) bool
}

// leadKinds are in the order in which an answer has them: what is known first.
func (c *comparison) leadKinds(p pair) [leadKinds]leadKind {
	few := func(r verdictRow) bool {
		return r.hasNumber() && (r.Word == "" && c.Look != nil && r.asked || r.Word == record.Inconclusive) && r.N < c.Fewest.Workload
	}
	is := func(word record.Word) func(verdictRow) bool {
		return func(r verdictRow) bool { return r.Word == word && !few(r) }
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
		{fmt.Sprintf("Too few %ss for a verdict on %s against %s (it takes at least %d) for", c.unit(), p.other, p.baseline, c.Fewest.Workload), few},
		{"There is no verdict on " + p.other + " against " + p.baseline + yet + " for", is("")},
		{p.other + " cannot be compared with " + p.baseline + " for", is(record.Unfit)},
	}
}

// leadPart is a subject with its effect and interval, both with their signs; without
// a number it is why there is none.
func (r verdictRow) leadPart(margin float64) string {
	if !r.hasNumber() {
		if len(r.Warnings) > 0 {
			return r.Workload + " (" + r.Warnings[0].Text + ")"
		}
		return r.Workload
	}
	text := r.Workload + ": " + metricTitle(r.words, r.Metric) + " " + effect(r.Verdict, margin)
	if limits := signedSpan(r.Verdict, margin); limits != "" {
		text += " (" + levelName(r.Level) + " " + limits + ")"
	}
	return text
}
