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

// printPlan says how the experiment will be decided, and when that is possible.
func (a *app) printPlan(e *experiment.Experiment) {
	plan := verdict.PlanOf(e)
	if plan == nil {
		fmt.Fprintln(a.stdout, "One environment: there is nothing to compare.")
		return
	}
	var looks []string
	for _, look := range plan.Looks {
		looks = append(looks, fmt.Sprintf("%s (%s)", things(look.Units, plan.Unit), unit.Share(look.Alpha)))
	}
	fmt.Fprintf(a.stdout, "Decided by %s, margin %s; looks at %s.\n", plan.Metric, unit.Share(plan.Margin), strings.Join(looks, ", "))
	last := plan.Looks[len(plan.Looks)-1]
	fmt.Fprintln(a.stdout, fewest("workload", *plan, plan.Family, last, last.Units))
	if plan.Cells > plan.Family {
		fmt.Fprintln(a.stdout, fewest("cell", *plan, plan.Cells, last, last.Repeat))
	}
	if plan.Stop == "decided" {
		fmt.Fprintln(a.stdout, "It ends at the first look at which each of them is decided.")
	}
}

// fewest says how many units a verdict takes, and whether there will be as many.
func fewest(what string, plan record.Plan, comparisons int, last record.Look, planned int) string {
	least := stats.Fewest(last.Alpha, comparisons)
	text := fmt.Sprintf("A verdict on a %s takes at least %s (of %s)", what, things(least, plan.Unit), things(comparisons, "comparison"))
	if planned < least {
		return text + fmt.Sprintf(":\nthere will be %d, so an effect and its interval or range, and no verdict.", planned)
	}
	return text + "."
}

func things(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
