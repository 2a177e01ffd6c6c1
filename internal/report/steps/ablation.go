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

// Ablation attributes the effect of a tuning to its parts. It compares the whole tuning, no tuning,
// and the tuning without each part in turn or, in a screening design, with various choices of the
// parts, in blocks.
type Ablation struct {
	By     string  `json:"by"`     // "layer", "group", "knob", "pairs" or "screen"
	Metric string  `json:"metric"` // the metric with verdicts
	Margin float64 `json:"margin"`
	Unit   string  `json:"unit"` // what n counts: "block" or "repeat"
	// Fewest is the minimum number of units for a verdict; Declared is the number of
	// comparisons that share the declared error of 5 %.
	Fewest   int              `json:"fewest"`
	Declared int              `json:"declared"`
	Whole    []record.Verdict `json:"whole"` // all against none, by workload
	Parts    []AblatedPart    `json:"parts"`
	Sums     []PartsSum       `json:"sums"`            // whether the parts add up, by workload
	Pairs    []PartsSum       `json:"pairs,omitempty"` // interactions of two parts
	// Means is the number of effects of a screening design, which share another 5 %.
	Means int `json:"means,omitempty"`
	// FewestMeans is the minimum number of units for a verdict on one of them.
	FewestMeans int `json:"fewest_means,omitempty"`
}

// AblatedPart is a layer, a group or a knob that was removed from the whole tuning.
type AblatedPart struct {
	Name        string `json:"name"`
	Environment string `json:"environment"` // the one without the part; "" if several lack it
	// NotApplicable is the reason why the part was not measured: it has no effect on this
	// machine.
	NotApplicable string       `json:"not_applicable,omitempty"`
	Knobs         []string     `json:"knobs"` // keys of the knobs it sets
	Removed       []PartEffect `json:"removed"`
	// Published holds published impacts of its knobs.
	Published []PublishedImpact `json:"published,omitempty"`

	sets []record.Knob
}

// PartEffect is the effect of removing a part from the whole tuning on one workload.
type PartEffect struct {
	record.Verdict `json:"verdict"`
	// Share is the part's share of ln(all/none); nil unless all is known to differ from none.
	Share    *float64 `json:"share,omitempty"`
	Impact   string   `json:"impact,omitempty"`   // "High", "Medium", "Low", "none" or "not known"
	Priority string   `json:"priority,omitempty"` // the recommendation
}

// PartsSum is the interaction of parts: the effect they have together beyond their separate
// effects, computed block by block.
type PartsSum struct {
	record.Verdict `json:"verdict"`
	Parts          []string `json:"parts"`
	// Direction is "up" or "down" if the interaction is above or below zero, "equal" if it is
	// within the margin, "unknown" otherwise, and "" with too few units.
	Direction stats.Outcome `json:"direction,omitempty"`
}

// AblationOf returns the ablation of a record. It returns nil if the record has none, if all or
// none was not measured, or if s shows only some of its environments. c compares all of them;
// it may be nil.
func AblationOf(s *show.Numbers, rec *record.Record, c *verdict.Comparison) *Ablation {
	if !s.Whole() || s.Experiment.Ablate == "" || s.Environment(experiment.AblationAll) == nil || s.Environment(experiment.AblationNone) == nil {
		return nil
	}
	a := &Ablation{By: s.Experiment.Ablate, Metric: s.Experiment.Metric, Margin: float64(s.Experiment.Margin), Unit: "block",
		Whole: []record.Verdict{}, Parts: []AblatedPart{}, Sums: []PartsSum{}}
	if a.By == experiment.Screen {
		a.screened(rec, s.Experiment)
	}
	for _, e := range s.Experiment.Environments {
		if removed := a.removed(s.Experiment, e); len(removed) == 1 && a.By != experiment.Screen {
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

// removed returns the parts that an environment lacks and the whole tuning has.
func (a *Ablation) removed(e *experiment.Experiment, environment experiment.Environment) []string {
	all := slices.IndexFunc(e.Environments, func(o experiment.Environment) bool { return o.Name == experiment.AblationAll })
	return slices.DeleteFunc(slices.Clone(environment.Without), func(part string) bool {
		return slices.Contains(e.Environments[all].Without, part)
	})
}

// lacking is the prefix of an environment that lacks a part; the name repeats it for each
// further part.
const lacking = "without-"

// partNamed returns the part behind the name of an environment, in which characters not allowed
// in names are replaced.
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

// knobsOfAll returns the knobs that the whole tuning sets.
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

// compare adds the effects of the parts. It ignores the error of a record that cannot be
// compared: the warnings contain it.
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
	if a.By == experiment.Screen {
		a.addMeans(s, rec, c)
		return
	}
	a.addUp(s, rec)
}

// add adds the effect of removing the part on a workload.
func (p *AblatedPart) add(declared []record.Verdict, workload string, a *Ablation, whole record.Verdict) {
	v, found := verdictOn(declared, workload, a.Metric, experiment.AblationAll, p.Environment)
	if !found {
		return
	}
	e := PartEffect{Verdict: v}
	e.Impact, e.Priority = impactOf(v)
	if compare.HasNumber(v) && compare.HasNumber(whole) && (whole.Outcome == record.Better || whole.Outcome == record.Worse) {
		if share := logOf(verdict.Turned(v)) / logOf(whole); phrase.Known(share) {
			e.Share = &share
		}
	}
	p.Removed, p.Published = append(p.Removed, e), publishedOf(*p)
}

// logOf returns an effect on the additive (logarithmic) scale.
func logOf(v record.Verdict) float64 {
	if v.Effect < 0 {
		return -size(v)
	}
	return size(v)
}

// measuredParts returns the parts that were removed in turn.
func (a *Ablation) measuredParts() []AblatedPart {
	return slices.DeleteFunc(slices.Clone(a.Parts), func(p AblatedPart) bool { return p.NotApplicable != "" })
}
