package verdict

import (
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/stats"
)

// addVerdicts compares by one metric: workloads, which share the error, and their parts,
// which form a second family.
func (c *comparer) addVerdicts(result *Comparison, m experiment.Metric) {
	var wholes, parts []subject
	for _, p := range c.pairs() {
		wholes = append(wholes, subject{pair: p})
		parts = append(parts, c.parts(p)...)
	}
	v := values{c.rec, m, map[record.RunID]reading{}}
	result.Verdicts = append(result.Verdicts, c.compareBy(v, wholes, record.Inconclusive)...)
	if len(parts) == len(wholes) {
		return // one cell each: the same verdict as the workload's
	}
	// With too few blocks a part has no outcome, not even inconclusive: the workload has the
	// verdict.
	result.Cells = append(result.Cells, c.compareBy(v, parts, "")...)
}

// isDeclared reports whether a comparison was declared before the first run.
func (c *comparer) isDeclared(p pair, m experiment.Metric) bool {
	return m.Name == c.plan.Metric && c.exp.Compares(p.workload, p.baseline, p.other)
}

// isAsked reports whether the options request an outcome.
func (c *comparer) isAsked(p pair, m experiment.Metric) bool {
	if !c.isShown(p.baseline) || !c.isShown(p.other) {
		return false
	}
	if len(c.options.Environments) > 0 && p.baseline != c.baseline && p.other != c.baseline {
		return false // the requested ones are compared with the first of them
	}
	return len(c.options.Metrics) > 0 || len(c.options.Environments) > 0 && m.Name == c.plan.Metric
}

// isShown reports whether an environment is the baseline or among those requested.
func (c *comparer) isShown(environment string) bool {
	return environment == c.baseline || slices.Contains(c.shown, environment)
}

// compareBy compares subjects by one metric. Declared comparisons share the error of the look,
// whether they are shown or not; those that the options request share as much among themselves;
// all others, and those by a metric without a better direction, get effect and interval only.
// TooFew is the outcome for a subject with too few units. Before the first look only the range
// may be shown.
func (c *comparer) compareBy(v values, subjects []subject, tooFew record.Outcome) []record.Verdict {
	verdicts := make([]record.Verdict, len(subjects))
	var declared, asked, unasked family
	for i, s := range subjects {
		verdict, test := c.measure(v, s)
		verdicts[i] = verdict
		switch {
		case v.metric.Plain:
			unasked.add(&verdicts[i], test)
		case c.isDeclared(s.pair, v.metric):
			declared.add(&verdicts[i], test)
		case c.isAsked(s.pair, v.metric):
			asked.add(&verdicts[i], test)
		default:
			unasked.add(&verdicts[i], test)
		}
	}
	declared.ask()
	asked.ask()
	if c.look == nil {
		return verdicts
	}
	for _, f := range []*family{&declared, &asked, &unasked} {
		f.metric, f.alpha, f.margin = v.metric, c.look.Alpha, c.plan.Margin
	}
	declared.decide(tooFew)
	asked.decide(tooFew)
	unasked.show()
	return verdicts
}

// measure returns the effect of a subject with the range of its units, and its test. The test
// is nil if too many blocks are left out, or if a run that counts has no number.
func (c *comparer) measure(values values, s subject) (record.Verdict, *stats.Test) {
	m := values.metric
	v := record.Verdict{
		Workload: s.workload, Cell: s.cell, Clients: s.clients, Rate: s.rate,
		Metric: m.Name, Baseline: s.baseline, Other: s.other, Difference: m.Share, P: 1,
	}
	blocks, without := c.blocksOf(values, s)
	sample := sampleOf(blocks, c.plan.Unit)
	lost := c.lostOf(s)
	v.N, v.Cells = len(sample.d), sample.cells
	v.Warnings = append(lost.notes(c.environments()), c.unbalanced(s, blocks)...)
	v.Warnings = append(v.Warnings, c.parity(s.pair)...)
	if without.units > 0 {
		v.Warnings = append(v.Warnings, withoutNumber(without, unitBlock, m))
	}
	if v.N == 0 {
		if lost.driven > 0 {
			v.Outcome = record.Unfit
		}
		return v, nil
	}
	test, err := stats.Paired(sample.d, c.rec.Summary.Seed)
	if err != nil {
		v.Outcome = record.Unfit
		return v, nil
	}
	describe(&v, test, m, sample.a, sample.b, c.plan.Unit)
	if bothZero(blocks) {
		v.A, v.B = 0, 0 // their logarithms are unknown
	}
	if c.look != nil && lost.tooMany() {
		v.Outcome = record.Unfit
	}
	if v.Outcome == record.Unfit || without.units > 0 {
		return v, nil
	}
	return v, test
}

// family is a set of comparisons by one metric that share alpha, each with its test,
// which is nil where numbers are missing. A comparison without a test uses up its share
// like all others.
type family struct {
	metric        experiment.Metric
	alpha, margin float64
	verdicts      []*record.Verdict
	tests         []*stats.Test
}

func (f *family) add(v *record.Verdict, test *stats.Test) {
	f.verdicts, f.tests = append(f.verdicts, v), append(f.tests, test)
}

// ask marks each comparison as one that needs an outcome.
func (f *family) ask() {
	for _, v := range f.verdicts {
		v.Asked = true
	}
}

// decide sets the outcome of each comparison, and its interval at the alpha granted to it. With
// too few units for such an interval the outcome is tooFew, and only the range is shown, since
// a wider error may contradict it. If tooFew is "", the workload has the verdict, and the
// interval at a wider error stays.
func (f *family) decide(tooFew record.Outcome) {
	for i, d := range stats.Decide(f.tests, f.alpha, allowed(f.margin, f.metric)) {
		v := f.verdicts[i]
		switch {
		case v.Outcome == record.Unfit:
		case f.tests[i] == nil:
			v.Outcome = record.Inconclusive
		case d.Decidable:
			enter(v, f.metric, d)
			v.Outcome = word(d.Outcome, f.metric)
		case tooFew == "":
			enter(v, f.metric, d)
		default:
			v.Outcome, v.P = tooFew, d.P
		}
	}
}

// show sets the interval of each as if it were the only comparison, and no outcome.
func (f *family) show() {
	for i, test := range f.tests {
		if test != nil {
			enter(f.verdicts[i], f.metric, stats.Decide(f.tests[i:i+1], f.alpha, allowed(f.margin, f.metric))[0])
		}
	}
}
