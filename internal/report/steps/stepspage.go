package steps

import (
	"fmt"
	"math"
	"slices"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/compare"
	"plinth/internal/report/phrase"
	"plinth/internal/report/show"
)

// Document returns the step table, the effect of each step, and its effect on the cliff; nil
// without steps.
func (t *Table) Document(s *show.Numbers) prose.Document {
	if t == nil {
		return nil
	}
	var d prose.Document
	var notes compare.Footnotes
	d.Add(t.table(s), prose.List(t.largest(s)))
	for _, table := range []effectTable{t.deltas(s, &notes, false), t.deltas(s, &notes, true)} {
		if len(table.rows) > 0 && (table.title != stepBefore || t.comparesSteps()) { // otherwise both tables would be the same
			d.Add(table)
		}
	}
	d.Add(notes.Lines(), prose.List(t.remarks(s)))
	return append(d, t.cliffs(s)...)
}

// largest names the step with the largest known effect for each workload.
func (t *Table) largest(s *show.Numbers) []string {
	var lines []string
	for _, w := range s.Workloads {
		var best record.Verdict
		for _, step := range t.Steps {
			for _, v := range step.AgainstPrevious {
				if v.Workload == w.Name && v.Metric == t.Metric && v.Outcome == record.Better && size(v) > size(best) {
					best = v
				}
			}
		}
		if best.Other == "" {
			if len(t.Steps) > 2 && t.comparesSteps() {
				lines = append(lines, w.Label+": no step is known to be better than the one before it")
			}
			continue
		}
		lines = append(lines, fmt.Sprintf("%s: the largest step is %s: %s %s against %s",
			w.Label, best.Other, compare.MetricTitle(s.Words(), t.Metric), effectWords(best, t.Margin), best.Baseline))
	}
	return lines
}

// size returns the magnitude of an effect: doubling and halving are equal.
func size(v record.Verdict) float64 {
	if v.Difference {
		return math.Abs(v.Effect)
	}
	return math.Abs(math.Log1p(v.Effect))
}

// remarks explains the error of the verdicts.
func (t *Table) remarks(s *show.Numbers) []string {
	var lines []string
	metric := compare.MetricTitle(s.Words(), t.Metric)
	if t.Declared > 0 {
		pairs := "against " + t.Baseline
		if s.Experiment.ComparesAll() {
			pairs = "every pair"
		}
		lines = append(lines, fmt.Sprintf("%s by %s: %s, declared before the first run, share the 5 %% error rate", pairs, metric, phrase.Plural(t.Declared, "comparison")))
	}
	if t.Own > 0 {
		lines = append(lines, fmt.Sprintf("against the step before: another 5 %% error rate for %s; the first step after %s is compared as declared", phrase.Plural(t.Own, "undeclared comparison"), t.Baseline))
	}
	if t.Declared > 0 {
		lines = append(lines, fmt.Sprintf("%s: a verdict needs the declared metric and at least %s", effectOnly, phrase.Plural(max(t.Fewest, t.FewestOwn), t.Unit)))
	}
	if s.Threads != 0 {
		lines = append(lines, "means cover the cells with "+phrase.Plural(s.Threads, "thread")+", effects cover all cells")
	}
	if slices.ContainsFunc(t.Steps, func(step Step) bool { return len(step.AgainstBaseline) > 0 }) {
		if len(s.Workloads) > 1 {
			lines = append(lines, "overall "+s.Words().Rate+": the mean of the workloads' averages, compared repeat by repeat; it hides differences in write performance, because read rates are far higher")
		}
		lines = append(lines, "means are arithmetic, as in published tables; effects are ratios of geometric means")
	}
	return lines
}
