package verdict

import (
	"fmt"
	"math"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// sentences describes each workload comparison that needs a verdict as a sentence to quote:
// "two-disks: tpcb-like 18 % more TPS (12 to 25 %, 24 blocks): better". A metric without
// a better direction gets no verdict.
func sentences(c *Comparison) []string {
	all := []string{}
	for _, v := range c.Verdicts {
		p := phrase{v, c.Plan, c.Unpaired, c.Open(), c.words()}
		if (c.Asked(v) || p.metric().Plain) && (v.Outcome != "" || v.N > 0) {
			all = append(all, p.sentence(c.Fewest.Workload))
		}
	}
	return all
}

// phrase formats a verdict as a sentence. It shows the same digits as the tables.
type phrase struct {
	record.Verdict
	plan     record.Plan
	unpaired bool
	open     bool // imported: there will be no verdict
	words    experiment.Terms
}

func (p phrase) sentence(fewest int) string {
	about := p.Other + ": " + p.Workload + " "
	switch {
	case p.N == 0 && p.noted(ruleNoNumber) != "":
		return about + p.title() + ": " + string(p.Outcome) + ", " + p.noted(ruleNoNumber)
	case p.N == 0 && p.unpaired:
		return about + p.title() + ": " + string(p.Outcome) + ", no repeat in which all cells have a valid run in both"
	case p.N == 0:
		return about + p.title() + ": " + string(p.Outcome) + ", no block in which both have a valid run"
	case p.Outcome == record.Unfit:
		return about + p.title() + ": " + string(p.Outcome) + p.why()
	}
	text := fmt.Sprintf("%s%s (%s)", about, p.amount(), p.basis())
	if p.metric().Plain {
		return text
	}
	text += ": "
	switch {
	case p.Outcome == "" && p.open:
		return text + "no verdict, imported"
	case p.Outcome == "":
		return text + "no verdict yet"
	case p.Outcome == record.Inconclusive && p.N < fewest:
		return text + "inconclusive, too few for a verdict"
	}
	return text + string(p.Outcome)
}

// why returns the cause of an invalid verdict with numbers.
func (p phrase) why() string {
	if text := p.noted(ruleBlocksLost); text != "" {
		return ", " + text
	}
	return ""
}

// noted returns the text of a rule's warning; "" without one.
func (p phrase) noted(rule string) string {
	for _, note := range p.Warnings {
		if note.Rule == rule {
			return note.Text
		}
	}
	return ""
}

func (p phrase) metric() experiment.Metric {
	m, _ := experiment.ParseMetric(p.Metric) // parsed before
	return m
}

func (p phrase) title() string { return p.words.Say(p.metric().Title) }

// amount returns the effect as text: "18 % more TPS", "12.4 times the p99 latency", "2.5
// points less seconds with p99 under 10ms". Equivalent effects are neither more nor less:
// "TPS within 3 %".
func (p phrase) amount() string {
	switch {
	case p.Outcome == record.Equivalent && p.metric().Strict:
		return "no difference in " + p.title()
	case p.Outcome == record.Equivalent:
		return fmt.Sprintf("%s within %s %s", p.title(), plainly(p.plan.Margin), p.unit())
	case InFactors(p.Verdict):
		return Times(1+p.Effect) + " times the " + p.title()
	}
	size, direction := Fixed(100*math.Abs(p.Effect), p.digits()), "more"
	switch {
	case size == Fixed(0, p.digits()):
		direction = "difference in"
	case p.Effect < 0:
		direction = "less"
	}
	return fmt.Sprintf("%s %s %s %s", size, p.unit(), direction, p.title())
}

// basis returns the interval, or the range, and the number of units. One unit has no
// range.
func (p phrase) basis() string {
	n := unit.Count(p.N, p.plan.Unit)
	switch {
	case p.Level == 0 && p.N == 1:
		return n
	case p.Level == 0:
		return "range " + p.span() + ", " + n
	}
	return p.span() + ", " + n
}

// span returns the interval in the unit of the effect: "12 to 25 %". After "more" or
// "less" both ends have no sign; where they differ in sign, or for an equivalent effect,
// they have one.
func (p phrase) span() string {
	low, high, d := 100*p.Low, 100*p.High, p.digits()
	switch {
	case InFactors(p.Verdict):
		return Times(1+p.Low) + " to " + Times(1+p.High) + " times"
	case p.Outcome == record.Equivalent || low < 0 && high > 0:
		return Signed(low, d) + " to " + Signed(high, d) + " " + p.unit()
	case p.Effect < 0:
		low, high = -high, -low
	}
	return Fixed(low, d) + " to " + Fixed(high, d) + " " + p.unit()
}

func (p phrase) digits() int { return Digits(p.Verdict, p.plan.Margin) }

// unit returns the unit of an effect: per cent of the baseline, or percentage points.
func (p phrase) unit() string {
	if p.Difference {
		return "points"
	}
	return "%"
}
