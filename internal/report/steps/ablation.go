package steps

import (
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/report/compare"
	"plinth/internal/report/phrase"
	"plinth/internal/report/show"
	"plinth/internal/stats"
	"plinth/internal/verdict"
)

// Ablation is which part of a tuning did it: all of it, then without each part in turn,
// against all and against none, in blocks.
type Ablation struct {
	By     string  `json:"by"`     // "layer", "group", "knob" or "pairs"
	Metric string  `json:"metric"` // by which there are words
	Margin float64 `json:"margin"`
	Unit   string  `json:"unit"` // what n counts: "block" or "repeat"
	// Fewest is how many units a word takes; Declared how many comparisons share the 5 %
	// of error that was declared.
	Fewest   int              `json:"fewest"`
	Declared int              `json:"declared"`
	Whole    []record.Verdict `json:"whole"` // all against none, by workload
	Parts    []AblatedPart    `json:"parts"`
	Sums     []PartsSum       `json:"sums"`            // whether the parts add up, by workload
	Pairs    []PartsSum       `json:"pairs,omitempty"` // what each two do together
}

// AblatedPart is a layer, a group or a knob that was removed from all.
type AblatedPart struct {
	Name        string `json:"name"`
	Environment string `json:"environment"` // that lacks it
	// NotApplicable is why nothing was measured without it: this machine has nothing of it.
	NotApplicable string       `json:"not_applicable,omitempty"`
	Knobs         []string     `json:"knobs"` // that it sets, by their keys
	Removed       []PartEffect `json:"removed"`
	// Published is what others say of its knobs.
	Published []PublishedImpact `json:"published,omitempty"`

	sets []record.Knob
}

// PartEffect is what removing a part from all does to one workload.
type PartEffect struct {
	record.Verdict `json:"verdict"`
	// Share is that of ln(all/none) which goes with the part; nil where it is not known
	// that all differs from none.
	Share    *float64 `json:"share,omitempty"`
	Impact   string   `json:"impact,omitempty"`   // "High", "Medium", "Low", "none" or "not known"
	Priority string   `json:"priority,omitempty"` // what follows from it
}

// PartsSum is by how much parts do together what they do not do apart, as an effect of
// its own, block by block.
type PartsSum struct {
	record.Verdict `json:"verdict"`
	Parts          []string `json:"parts"`
	// Direction says whether it is more ("up") or less ("down") than nothing, or within
	// the margin ("equal"); "unknown" otherwise, "" where there are too few units.
	Direction stats.Word `json:"direction,omitempty"`
}

// AblationOf is the ablation of a record; nil where it has none, where all or none was not
// measured, or where s shows only some of its environments. c is the comparison of all of
// them; nil where there is none.
func AblationOf(s *show.Numbers, rec *record.Record, c *verdict.Comparison) *Ablation {
	if !s.Whole() || s.Experiment.Ablate == "" || s.Environment(experiment.AblationAll) == nil || s.Environment(experiment.AblationNone) == nil {
		return nil
	}
	a := &Ablation{By: s.Experiment.Ablate, Metric: s.Experiment.Metric, Margin: float64(s.Experiment.Margin), Unit: "block",
		Whole: []record.Verdict{}, Parts: []AblatedPart{}, Sums: []PartsSum{}}
	for _, e := range s.Experiment.Environments {
		if removed := a.removed(s.Experiment, e); len(removed) == 1 {
			a.Parts = append(a.Parts, newPart(rec, removed[0], e.Name))
		}
	}
	for _, l := range rec.Summary.LeftOut {
		if name, is := strings.CutPrefix(l.Environment, lacking); is && !strings.Contains(name, "-"+lacking) {
			part := newPart(rec, partNamed(rec, name), l.Environment)
			part.NotApplicable = l.Reason
			a.Parts = append(a.Parts, part)
		}
	}
	if c != nil {
		a.compare(s, rec, c)
	}
	return a
}

// removed are the parts that an environment lacks and all has.
func (a *Ablation) removed(e *experiment.Experiment, environment experiment.Environment) []string {
	all := slices.IndexFunc(e.Environments, func(o experiment.Environment) bool { return o.Name == experiment.AblationAll })
	return slices.DeleteFunc(slices.Clone(environment.Without), func(part string) bool {
		return slices.Contains(e.Environments[all].Without, part)
	})
}

// lacking begins the name of an environment that lacks a part, and each part further on.
const lacking = "without-"

// partNamed is the part that the name of an environment was made from, which has other
// letters for those that a name cannot have.
func partNamed(rec *record.Record, name string) string {
	plain := func(text string) string {
		return strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' {
				return r
			}
			return '-'
		}, strings.ToLower(text))
	}
	for _, k := range knobsOfAll(rec) {
		for _, part := range []string{k.Group, k.Key, k.Layer} {
			if plain(part) == name {
				return part
			}
		}
	}
	return name
}

// knobsOfAll are those that all of the tuning sets.
func knobsOfAll(rec *record.Record) []record.Knob {
	if t := rec.Environments[experiment.AblationAll].Tuning; t != nil {
		return t.Knobs
	}
	return nil
}

func newPart(rec *record.Record, name, environment string) AblatedPart {
	part := AblatedPart{Name: name, Environment: environment, Knobs: []string{}, Removed: []PartEffect{}}
	for _, k := range knobsOfAll(rec) {
		if k.Layer == name || k.Group == name || k.Key == name {
			part.Knobs, part.sets = append(part.Knobs, k.Key), append(part.sets, k)
		}
	}
	return part
}

// compare adds what the parts are worth. An error is that of a record which cannot be
// compared; what it says is in the warnings.
func (a *Ablation) compare(s *show.Numbers, rec *record.Record, c *verdict.Comparison) {
	a.Unit, a.Margin, a.Declared, a.Fewest = c.Plan.Unit, c.Plan.Margin, c.Families.Workload, c.Fewest.Workload
	declared := declaredIn(c)
	for _, w := range s.Workloads {
		v, found := verdictOn(declared, w.Name, a.Metric, experiment.AblationNone, experiment.AblationAll)
		if !found {
			continue
		}
		a.Whole = append(a.Whole, v)
		for i := range a.Parts {
			a.Parts[i].add(declared, w.Name, a, v)
		}
	}
	a.addUp(s, rec)
}

// add adds what removing a part from all does to a workload.
func (p *AblatedPart) add(declared []record.Verdict, workload string, a *Ablation, whole record.Verdict) {
	v, found := verdictOn(declared, workload, a.Metric, experiment.AblationAll, p.Environment)
	if !found {
		return
	}
	e := PartEffect{Verdict: v}
	e.Impact, e.Priority = impactOf(v)
	if compare.HasNumber(v) && compare.HasNumber(whole) && (whole.Word == record.Better || whole.Word == record.Worse) {
		if share := logOf(verdict.Turned(v)) / logOf(whole); phrase.Known(share) {
			e.Share = &share
		}
	}
	p.Removed, p.Published = append(p.Removed, e), publishedOf(*p)
}

// logOf is an effect on the scale on which parts add up.
func logOf(v record.Verdict) float64 {
	if v.Effect < 0 {
		return -size(v)
	}
	return size(v)
}

// measuredParts are the parts that were removed in turn.
func (a *Ablation) measuredParts() []AblatedPart {
	return slices.DeleteFunc(slices.Clone(a.Parts), func(p AblatedPart) bool { return p.NotApplicable != "" })
}
