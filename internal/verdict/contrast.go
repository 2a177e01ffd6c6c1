package verdict

import (
	"cmp"
	"math"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/stats"
)

// Contrast is a weighted sum over environments: of a workload's values of the declared
// metric or, if the metric is compared by ratio, of their logarithms. The weights add
// up to 0, so that whatever the runs of a block share cancels out. With weights of 1
// for all, -1 for without-a, -1 for without-b and 1 for without-a-without-b it is the
// interaction of a and b: their joint effect beyond the sum of their separate effects.
type Contrast struct {
	Workload string
	Weights  map[string]float64
	// Means is set if the weights are those of two means: then each side has a value of its own.
	Means bool
}

// Contrasted is the result of a contrast. It uses effect, interval, level, n and warnings
// of its Verdict. Unless Between says so, neither side is a baseline, and neither is better.
type Contrasted struct {
	record.Verdict
	// Direction says whether the sum is above or below zero, or within the margin. It is
	// "" before the first look, and with too few units.
	Direction stats.Outcome
}

// Contrasts measures contrasts block by block, or repeat by repeat where that is the
// unit. They share a separate error rate of 5 %, at the look that is read.
//
// The test is the one used for comparisons. It assumes that the noise in a block's sum is
// equally likely to have either sign. With as many environments of one weight as of its
// negative, this holds for any noise, since their order was randomised, if the two halves
// are alike in all else, as in a screening design up to three groups at once. Other weights
// require symmetric noise.
func Contrasts(rec *record.Record, contrasts []Contrast) ([]Contrasted, error) {
	c, err := atLook(rec)
	if err != nil {
		return nil, err
	}
	m := c.metrics[0]
	v := values{rec, m, map[record.RunID]reading{}}
	all, tests := make([]Contrasted, len(contrasts)), make([]*stats.Test, len(contrasts))
	for i, k := range contrasts {
		all[i].Verdict, tests[i] = c.contrast(v, k)
	}
	if c.look != nil {
		for i, d := range stats.Decide(tests, c.look.Alpha, allowed(c.plan.Margin, m)) {
			if tests[i] == nil {
				continue
			}
			enter(&all[i].Verdict, m, d)
			if d.Decidable {
				all[i].Direction = d.Outcome
			}
		}
	}
	for i := range all {
		all[i].bound()
	}
	return all, nil
}

// bound clears a result with a number that JSON cannot hold: the sum over many
// environments that are far apart overflows as a factor.
func (k *Contrasted) bound() {
	for _, f := range []float64{k.A, k.B, k.Effect, k.Low, k.High} {
		if math.IsInf(f, 0) || math.IsNaN(f) {
			k.A, k.B, k.Effect, k.Low, k.High, k.Level, k.Outcome, k.Direction = 0, 0, 0, 0, 0, 0, record.Unfit, ""
			return
		}
	}
}

// contrast returns the numbers of one contrast with the range of its units, and its test;
// nil where there is no test.
func (c *comparer) contrast(v values, k Contrast) (record.Verdict, *stats.Test) {
	of := record.Verdict{Workload: k.Workload, Metric: v.metric.Name, Difference: v.metric.Share, P: 1}
	blocks, without := c.sums(v, k)
	sample := sampleOf(blocks, c.plan.Unit)
	of.N, of.Cells = len(sample.d), sample.cells
	lost := c.lostOf(subject{pair: pair{workload: k.Workload}})
	of.Warnings = lost.notes(c.environments())
	if without.units > 0 {
		of.Warnings = append(of.Warnings, withoutNumber(without, unitBlock, v.metric))
	}
	if of.N == 0 {
		return of, nil
	}
	test, err := stats.Paired(sample.d, c.rec.Summary.Seed)
	if err != nil {
		of.Outcome = record.Unfit
		return of, nil
	}
	describe(&of, test, v.metric, sample.a, sample.b, c.plan.Unit)
	if (c.look != nil || c.rec.Summary.State == record.Complete) && lost.tooMany() { // otherwise they may be run again
		of.Outcome = record.Unfit
	}
	if of.Outcome == record.Unfit || without.units > 0 {
		return of, nil
	}
	return of, test
}

// sums returns the weighted sum of each block. It leaves out a block in which a run has
// no comparable number.
func (c *comparer) sums(v values, k Contrast) (all []measured, without unusable) {
	found, missing := map[record.Block]*measured{}, map[record.Block]bool{}
	for i := range c.counted {
		run := &c.counted[i]
		weight, is := k.Weights[run.Environment]
		if !is || run.Workload != k.Workload {
			continue
		}
		b := record.Block{Cell: run.Cell, Repeat: run.Repeat}
		if found[b] == nil {
			found[b] = &measured{Block: b, number: run.Number}
		}
		r := v.of(run)
		if !r.ok && !missing[b] {
			without.add(run.Environment, r.why)
			missing[b] = true
		}
		if k.Means && weight < 0 {
			found[b].a -= weight * r.value
		} else {
			found[b].b += weight * r.value
		}
	}
	for b, sum := range found {
		if !missing[b] {
			all = append(all, *sum)
		}
	}
	slices.SortFunc(all, func(x, y measured) int { return cmp.Compare(x.number, y.number) })
	return all, without
}

// PairInteraction returns the contrast of two parts' joint effect beyond the sum of their
// separate effects, from four environments: all parts, without each of the two, and
// without both.
func PairInteraction(workload, all, withoutA, withoutB, withoutBoth string) Contrast {
	return Contrast{Workload: workload, Weights: map[string]float64{all: 1, withoutA: -1, withoutB: -1, withoutBoth: 1}}
}

// MeanEffect returns the contrast of the means of two groups of environments.
func MeanEffect(workload string, baseline, others []string) Contrast {
	weights := map[string]float64{}
	for _, environment := range baseline {
		weights[environment] = -1 / float64(len(baseline))
	}
	for _, environment := range others {
		weights[environment] = 1 / float64(len(others))
	}
	return Contrast{Workload: workload, Weights: weights, Means: true}
}

// Between returns a contrast of two sides as their comparison, which has an outcome.
func (k Contrasted) Between(baseline, other string) record.Verdict {
	v := k.Verdict
	v.Baseline, v.Other, v.Asked = baseline, other, true
	if m, err := experiment.ParseMetric(v.Metric); err == nil && k.Direction != "" {
		v.Outcome = word(k.Direction, m)
	}
	return v
}

// Excess returns, as a contrast, the sum of the effects of removing the parts one at a time, minus
// the effect of all parts against none.
func Excess(workload, all, none string, without []string) Contrast {
	weights := map[string]float64{all: float64(len(without) - 1), none: 1}
	for _, environment := range without {
		weights[environment] = -1
	}
	return Contrast{Workload: workload, Weights: weights}
}
