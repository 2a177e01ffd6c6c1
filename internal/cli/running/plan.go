package running

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"plinth/internal/cli/base"
	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/record/index"
	"plinth/internal/stats"
	"plinth/internal/unit"
	"plinth/internal/verdict"
)

// planLines returns sentences that describe how the experiment will be decided, and when that is
// possible.
func planLines(e *experiment.Experiment) []string {
	plan := verdict.PlanOf(e)
	if plan == nil {
		return []string{"There is only one environment, so there is nothing to compare."}
	}
	last := plan.Looks[len(plan.Looks)-1]
	var looks []string
	for _, look := range plan.Looks {
		looks = append(looks, fmt.Sprintf("%s (alpha %s)", base.Things(look.Units, plan.Unit), unit.Share(look.Alpha)))
	}
	lines := []string{
		fmt.Sprintf("Decided by %s, margin %s; planned looks: after %s.", plan.Metric, unit.Share(plan.Margin), strings.Join(looks, ", ")),
		verdictTakes("workload", *plan, plan.Family, last, last.Units),
	}
	if plan.Effects > 0 {
		lines = append(lines, verdictTakes("group", *plan, plan.Effects, last, last.Units))
	}
	if plan.Cells > plan.Family {
		lines = append(lines, verdictTakes("cell", *plan, plan.Cells, last, last.Repeat))
	}
	if plan.Stop == "decided" {
		lines = append(lines, "The experiment ends at the first look at which all verdicts are decided.")
	}
	return lines
}

// verdictTakes describes how many units a verdict takes, and whether that many are planned.
func verdictTakes(what string, plan record.Plan, comparisons int, last record.Look, planned int) string {
	least := stats.Fewest(last.Alpha, comparisons)
	text := fmt.Sprintf("A verdict on a %s takes at least %s (for %s)", what, base.Things(least, plan.Unit), base.Things(comparisons, "comparison"))
	if planned < least {
		return text + fmt.Sprintf("; the plan has %d: an effect with its interval or range, but no verdict.", planned)
	}
	return text + "."
}

// noiseHere returns the noise that A/A comparisons measured on this machine, and the names of
// their records.
func noiseHere(store string, e *experiment.Experiment) (names []string, noise []record.Noise, err error) {
	plan := verdict.PlanOf(e)
	elsewhere := func(e experiment.Environment) bool { return e.At.There() }
	if plan == nil || e.Driver.Elsewhere() || slices.ContainsFunc(e.Environments, elsewhere) { // the noise of other machines is not known
		return nil, nil, nil
	}
	facts, err := host.ReadFacts()
	if err != nil {
		return nil, nil, err
	}
	var wanted []record.Quantity
	for _, w := range e.Workloads {
		wanted = append(wanted, record.Quantity{Workload: w.Name, Metric: plan.Metric})
	}
	found, err := index.LatestNoise(store, e.Engine, facts, wanted)
	for _, n := range found {
		noise = append(noise, n.Noise)
		if !slices.Contains(names, n.Record) {
			names = append(names, n.Record)
		}
	}
	return names, noise, err
}

// printPower prints which effects an experiment can detect, given the noise that an A/A comparison
// measured.
func (a *app) printPower(e *experiment.Experiment, from string, noise []record.Noise, blockTime float64) {
	plan := verdict.PlanOf(e)
	powers := verdict.PowerOf(e, plan, noise, blockTime)
	if len(powers) == 0 {
		return
	}
	fmt.Fprint(a.Stdout, "\n", prose.Paragraph("Based on the noise measured by "+from+":").Text(a.Width()), "\n")
	fmt.Fprint(a.Stdout, prose.List(append(seen(powers, plan), unknown(e, powers)...)).Text(a.Width()), "\n")
	fmt.Fprint(a.Stdout, effectTable(powers, plan.Unit).Text(a.Width()))
	fmt.Fprint(a.Stdout, "\n", prose.Paragraph("Half of all experiments detect an effect of this size; "+
		"at least four of five detect an effect 1.5 times as large.").Text(a.Width()))
}

// seen describes which effects the planned units can detect, one line per workload.
func seen(powers []verdict.Power, plan *record.Plan) []string {
	var lines []string
	for _, p := range powers {
		line := fmt.Sprintf("%s: pairs of %ss differ by %s; the planned %s can detect %s",
			p.Workload, plan.Unit, amount(p.PairSD, p.Difference), base.Things(p.Units, plan.Unit), sight(p))
		if plan.Effects > 0 {
			line += " of a group"
		}
		if p.Unlike != "" {
			line += " (" + p.Unlike + ")"
		}
		lines = append(lines, line)
	}
	return lines
}

func sight(p verdict.Power) string {
	switch {
	case !p.Possible:
		return "nothing: too few for a verdict"
	case p.Effect == 0:
		return "any effect"
	}
	return amount(p.Effect, p.Difference)
}

// unknown names the workloads without measured noise.
func unknown(e *experiment.Experiment, powers []verdict.Power) []string {
	var names []string
	for _, w := range e.Workloads {
		if !slices.ContainsFunc(powers, func(p verdict.Power) bool { return p.Workload == w.Name }) {
			names = append(names, w.Name)
		}
	}
	if names == nil {
		return nil
	}
	return []string{strings.Join(names, ", ") + ": the noise and the detectable effect are unknown"}
}

// effectTable returns the number of blocks or repeats that each effect takes, with the duration of
// the whole experiment.
func effectTable(powers []verdict.Power, of string) prose.Table {
	t := prose.Table{Columns: []prose.Column{{Title: "Effect", Right: true}}}
	for _, p := range powers {
		t.Columns = append(t.Columns, prose.Column{Title: p.Workload + " takes", Right: true})
	}
	for i, wanted := range verdict.Wanted {
		row := []string{amount(wanted, powers[0].Difference)}
		for _, p := range powers {
			cell := "too long"
			if n := p.Needs[i]; n.Units != 0 {
				cell = fmt.Sprintf("%s, %s", base.Things(n.Units, of), unit.About(time.Duration(n.Seconds*float64(time.Second))))
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// amount formats an effect in per cent, or in percentage points for a share.
func amount(effect float64, points bool) string {
	unit := "%"
	if points {
		unit = "points"
	}
	if effect >= 0.995 { // %g would write an exponent
		return fmt.Sprintf("%.0f %s", 100*effect, unit)
	}
	return fmt.Sprintf("%.2g %s", 100*effect, unit)
}
