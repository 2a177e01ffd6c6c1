package steps

import (
	"fmt"
	"math"

	"plinth/internal/prose"
	"plinth/internal/record"
	"plinth/internal/report/compare"
	"plinth/internal/report/phrase"
	"plinth/internal/report/show"
)

// The least effects that are called so, as a factor either way: what removing the part
// costs. Below the second it is Low.
const (
	highImpact   = 0.10
	mediumImpact = 0.03
)

// impactNote says what the words of impact and priority mean.
var impactNote = fmt.Sprintf("Impact is that of removing the part from all of them: High from %s on, Medium from %s on, Low below, where the difference is known; "+
	"none where it lies within the margin, not known where no word is. A part that makes it worse says so.", compare.Percentage(highImpact), compare.Percentage(mediumImpact))

// impactOf is how much a part matters by the verdict on all without it against all, and
// what to do about it.
func impactOf(v record.Verdict) (impact, priority string) {
	switch {
	case !compare.HasNumber(v), v.Word == "", v.Word == record.Inconclusive:
		return "not known", phrase.None
	case v.Word == record.Equivalent:
		return "none", "not needed here"
	}
	impact, priority = "Low", "optional"
	switch worth := size(v); {
	case worth >= threshold(v, highImpact):
		impact, priority = "High", "must-have"
	case worth >= threshold(v, mediumImpact):
		impact, priority = "Medium", "recommended"
	}
	if v.Word == record.Better { // it is better without
		return impact + ", for the worse", "leave it out"
	}
	return impact, priority
}

// threshold is an effect on the scale of size.
func threshold(v record.Verdict, effect float64) float64 {
	if v.Difference {
		return effect
	}
	return math.Log1p(effect)
}

// impactTable is the published form: parameter, impact, priority, as measured here, and
// as published where plinth knows the same knob.
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
