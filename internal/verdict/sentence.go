package verdict

import (
	"fmt"
	"math"
	"strconv"

	"plinth/internal/experiment"
	"plinth/internal/record"
)

// sentences say each comparison of workloads that was to be decided so that it
// can be quoted: "two-disks: tpcb-like 18 % more TPS (12 to 25 %, 24 blocks): better".
func sentences(c *Comparison) []string {
	all := []string{}
	for _, v := range c.Verdicts {
		if v.Word != "" || c.Look == nil && v.N > 0 && v.Metric == c.Plan.Metric {
			all = append(all, sentence(v, c.Plan.Unit))
		}
	}
	return all
}

func sentence(v record.Verdict, unit string) string {
	m, _ := experiment.ParseMetric(v.Metric) // it made the verdict
	about := v.Other + ": " + v.Workload
	if v.N == 0 {
		return fmt.Sprintf("%s %s: %s, no block in which both have a valid run", about, m.Title, v.Word)
	}
	what := "range "
	if v.Level > 0 {
		what = ""
	}
	text := fmt.Sprintf("%s %s (%s%s, %s)", about, Amount(v), what, Span(v), count(v.N, unit))
	switch v.Word {
	case "":
		return text + ": no verdict yet"
	case record.Inconclusive:
		if v.Level == 0 {
			return text + ": inconclusive, too few for a verdict"
		}
	}
	return text + ": " + string(v.Word)
}

// Amount is the effect in words: "18 % more TPS", "3.4 times the p99 latency",
// "2.5 points less seconds with p99 under 10ms".
func Amount(v record.Verdict) string {
	m, _ := experiment.ParseMetric(v.Metric)
	digits := decimals(v)
	if isFactor(v) {
		return factor(v.Effect) + " times the " + m.Title
	}
	direction := "more"
	if v.Effect < 0 {
		direction = "less"
	}
	sign := "%"
	if v.Difference {
		sign = "points"
	}
	return fmt.Sprintf("%s %s %s %s", percent(math.Abs(v.Effect), digits), sign, direction, m.Title)
}

// Span is the interval or range of an effect in its unit: "12 to 25 %". Where
// both ends lie on the effect's side of zero they have no sign, like the effect.
func Span(v record.Verdict) string {
	low, high, digits := v.Low, v.High, decimals(v)
	sign := " %"
	if v.Difference {
		sign = " points"
	}
	switch {
	case isFactor(v):
		return factor(low) + " to " + factor(high)
	case low < 0 && high > 0:
		return "-" + percent(-low, digits) + " to +" + percent(high, digits) + sign
	case v.Effect < 0:
		low, high = -high, -low
	}
	return percent(low, digits) + " to " + percent(high, digits) + sign
}

// isFactor says whether an effect is better told as a factor: per cents above a
// few hundred nobody reads right.
func isFactor(v record.Verdict) bool { return !v.Difference && v.High > 2 }

func factor(effect float64) string {
	digits := 2
	if effect >= 9 {
		digits = 1
	}
	return strconv.FormatFloat(1+effect, 'f', digits, 64)
}

// decimals is how many digits after the point of a per cent mean something: an
// interval four points wide bears none, one of 0.4 points one.
func decimals(v record.Verdict) int {
	width := 100 * (v.High - v.Low)
	switch {
	case width >= 4:
		return 0
	case width >= 0.4:
		return 1
	}
	return 2
}

func percent(share float64, digits int) string {
	return strconv.FormatFloat(100*share, 'f', digits, 64)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
