package cli

import (
	"fmt"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/stats"
	"plinth/internal/unit"
	"plinth/internal/verdict"
)

// planLines say how the experiment will be decided, and when that is possible, a
// sentence a line.
func planLines(e *experiment.Experiment) []string {
	plan := verdict.PlanOf(e)
	if plan == nil {
		return []string{"One environment: there is nothing to compare."}
	}
	last := plan.Looks[len(plan.Looks)-1]
	lines := []string{
		fmt.Sprintf("Decided by %s, margin %s; looks at %s.", plan.Metric, unit.Share(plan.Margin), strings.Join(looksOf(plan), ", ")),
		verdictTakes("workload", *plan, plan.Family, last, last.Units),
	}
	if plan.Cells > plan.Family {
		lines = append(lines, verdictTakes("cell", *plan, plan.Cells, last, last.Repeat))
	}
	if plan.Stop == "decided" {
		lines = append(lines, "It ends at the first look at which each of them is decided.")
	}
	return lines
}

func looksOf(plan *record.Plan) []string {
	var looks []string
	for _, look := range plan.Looks {
		looks = append(looks, fmt.Sprintf("%s (%s)", things(look.Units, plan.Unit), unit.Share(look.Alpha)))
	}
	return looks
}

// verdictTakes says how many units a verdict takes, and whether there will be as
// many.
func verdictTakes(what string, plan record.Plan, comparisons int, last record.Look, planned int) string {
	least := stats.Fewest(last.Alpha, comparisons)
	text := fmt.Sprintf("A verdict on a %s takes at least %s (of %s)", what, things(least, plan.Unit), things(comparisons, "comparison"))
	if planned < least {
		return text + fmt.Sprintf(": there will be %d, so an effect and its interval or range, and no verdict.", planned)
	}
	return text + "."
}

func things(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
