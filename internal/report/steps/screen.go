package steps

import (
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/report/show"
	"plinth/internal/stats"
	"plinth/internal/verdict"
)

// screened adds the parts of a screening design: those that some environment lacks.
func (a *Ablation) screened(rec *record.Record, e *experiment.Experiment) {
	for _, name := range e.Screened() {
		part := newPart(rec, name, "")
		part.NotApplicable = notApplicable(part.sets)
		a.Parts = append(a.Parts, part)
	}
	place := func(p AblatedPart) int {
		return slices.IndexFunc(knobsOfAll(rec), func(k record.Knob) bool { return slices.Contains(p.Knobs, k.Key) })
	}
	slices.SortStableFunc(a.Parts, func(x, y AblatedPart) int { return place(x) - place(y) })
}

// notApplicable returns the reason why none of some knobs is applicable; "" if one is.
func notApplicable(knobs []record.Knob) (reason string) {
	for _, k := range knobs {
		if k.NotApplicable == "" {
			return ""
		}
		reason = k.NotApplicable
	}
	return reason
}

// addMeans adds the effect of removing each part: the mean of the environments that lack it against that of those that
// have it.
func (a *Ablation) addMeans(s *show.Numbers, rec *record.Record, c *verdict.Comparison) {
	var contrasts []verdict.Contrast
	var of []*AblatedPart
	for i := range a.Parts {
		if a.Parts[i].NotApplicable != "" {
			continue
		}
		with, without := s.Experiment.Halves(a.Parts[i].Name)
		for _, w := range s.Workloads {
			contrasts, of = append(contrasts, verdict.MeanEffect(w.Name, with, without)), append(of, &a.Parts[i])
		}
	}
	for i, found := range contrasted(rec, contrasts) {
		part := of[i]
		e := PartEffect{Verdict: found.Between(experiment.AblationAll, part.Name)}
		e.Impact, e.Priority = impactOf(e.Verdict)
		part.Removed, part.Published = append(part.Removed, e), publishedOf(*part)
	}
	if a.Means = len(contrasts); a.Means > 0 {
		look := c.Plan.Looks[len(c.Plan.Looks)-1]
		if c.Look != nil {
			look = *c.Look
		}
		a.FewestMeans = stats.Fewest(look.Alpha, a.Means)
	}
}

// Effects returns the effects of the groups of a screening design, which are no comparisons of two environments.
func (a *Ablation) Effects() (all []record.Verdict) {
	if a == nil || a.By != experiment.Screen {
		return nil
	}
	for _, p := range a.Parts {
		for _, e := range p.Removed {
			all = append(all, e.Verdict)
		}
	}
	return all
}
