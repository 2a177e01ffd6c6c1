package steps

import (
	"fmt"
	"math"

	"plinth/internal/experiment"
	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/compare"
	"plinth/internal/report/phrase"
	"plinth/internal/report/show"
)

// Thresholds for the effect of removing a part, as a factor in either direction. A known effect
// below mediumImpact is Low.
const (
	highImpact   = 0.10
	mediumImpact = 0.03
)

// impactNote explains impact and priority.
func (a *Ablation) impactNote() string {
	what := "the effect of removing one part from the whole tuning"
	if a.By == experiment.Screen {
		what = "the mean effect of removing a part, whatever else there is"
	}
	return fmt.Sprintf("Impact is %s: High at %s or more, Medium at %s or more, Low below; "+
		"none: within the margin; not known: no verdict. \"for the worse\" marks a part whose removal helps.", what, compare.Percentage(highImpact), compare.Percentage(mediumImpact))
}

// impactOf returns the impact of a part, from the verdict on removing it, and the
// recommendation.
func impactOf(v record.Verdict) (impact, priority string) {
	switch {
	case !compare.HasNumber(v), v.Outcome == "", v.Outcome == record.Inconclusive:
		return "not known", phrase.None
	case v.Outcome == record.Equivalent:
		return "none", "not needed here"
	}
	impact, priority = "Low", "optional"
	switch worth := size(v); {
	case worth >= threshold(v, highImpact):
		impact, priority = "High", "must-have"
	case worth >= threshold(v, mediumImpact):
		impact, priority = "Medium", "recommended"
	}
	if v.Outcome == record.Better { // it is better without the part
		return impact + ", for the worse", "leave it out"
	}
	return impact, priority
}

// threshold returns an effect on the scale of size.
func threshold(v record.Verdict, effect float64) float64 {
	if v.Difference {
		return effect
	}
	return math.Log1p(effect)
}

// impactTable returns the published form of such tables: parameter, impact, priority. It has
// the measured values and, for knobs that plinth knows, the published ones.
//
// PostgreSQL OLTP Benchmark - Case Study, 6.1 and 6.2.
func (a *Ablation) impactTable(s *show.Numbers) prose.Table {
	t := prose.Table{Title: "Parameter, impact, priority, as measured here", Keys: 1, Columns: []prose.Column{{Title: "Part"}}}
	if len(s.Workloads) > 1 {
		t.Keys, t.Columns = 2, append(t.Columns, prose.Column{Title: "Workload"})
	}
	t.Columns = append(t.Columns, prose.Column{Title: "Impact"}, prose.Column{Title: "Priority"})
	published := len(a.citations()) > 0
	if published {
		t.Columns = append(t.Columns, prose.Column{Title: "Published"})
	}
	for _, p := range a.Parts {
		for i, e := range p.Removed {
			row := []string{p.Name}
			if len(s.Workloads) > 1 {
				row = append(row, s.Label(e.Workload))
			}
			row = append(row, e.Impact, e.Priority)
			if published {
				row = append(row, publishedText(p.Published, i == 0))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}
