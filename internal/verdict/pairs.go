package verdict

import (
	"math"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/stats"
)

// Pair names two environments of a record: Other is compared with Baseline, which may
// differ from the experiment's baseline.
type Pair struct{ Baseline, Other string }

// Quantity selects a metric, of all cells of a workload or only of those with this number of
// clients and this rate.
type Quantity struct {
	Metric  string
	Clients int     // 0: all cells
	Rate    float64 // 0: closed loop
}

// Pairs compares environments pair by pair by the declared metric, for each workload. These
// comparisons must not be declared ones: they do not share the declared error rate of 5 %. Together
// they share another 5 %, at the same look. Fewest is the minimum number of units for a verdict.
func Pairs(rec *record.Record, pairs []Pair) (verdicts []record.Verdict, fewest int, err error) {
	c, err := atLook(rec)
	if err != nil {
		return nil, 0, err
	}
	verdicts, tests, err := c.ofPairs(pairs, Quantity{Metric: c.plan.Metric})
	if err != nil {
		return nil, 0, err
	}
	size := len(verdicts)
	f := c.familyOf(c.metrics[0], verdicts, tests)
	fewest = c.fewest(Families{Workload: size}).Workload
	if c.metrics[0].Plain {
		c.showAt(f)
		return verdicts, fewest, nil
	}
	f.ask()
	if c.look != nil {
		f.decide(record.Inconclusive)
	}
	return verdicts, fewest, nil
}

// Effects returns effects and intervals of environments pair by pair, each as if it were the
// only comparison, without an outcome.
func Effects(rec *record.Record, pairs []Pair, quantities []Quantity) ([]record.Verdict, error) {
	c, err := atLook(rec)
	if err != nil {
		return nil, err
	}
	var all []record.Verdict
	for _, q := range quantities {
		m, err := experiment.ParseMetric(q.Metric)
		if err != nil {
			return nil, err
		}
		verdicts, tests, err := c.ofPairs(pairs, q)
		if err != nil {
			return nil, err
		}
		c.showAt(c.familyOf(m, verdicts, tests))
		all = append(all, verdicts...)
	}
	return all, nil
}

// Overall returns the effects on the mean TPS of all workloads, each the mean over its cells.
// Published tables rank by this number, in which fast reads hide differences in writes. Its
// units are repeats, as a block has only one workload. The verdicts have neither an outcome nor
// a workload.
func Overall(rec *record.Record, pairs []Pair) ([]record.Verdict, error) {
	c, err := atLook(rec)
	if err != nil {
		return nil, err
	}
	m, err := experiment.ParseMetric("tps")
	if err != nil {
		return nil, err
	}
	means := c.overallMeans()
	verdicts, tests := make([]record.Verdict, len(pairs)), make([]*stats.Test, len(pairs))
	for i, p := range pairs {
		verdicts[i] = record.Verdict{Metric: m.Name, Baseline: p.Baseline, Other: p.Other, Cells: len(c.exp.Cells()), P: 1}
		var d, a, b []float64
		for repeat := 1; repeat <= c.exp.Repeats; repeat++ {
			x, y := means[repeat][p.Baseline], means[repeat][p.Other]
			if min(x, y) >= least && max(x, y) <= most {
				a, b, d = append(a, math.Log(x)), append(b, math.Log(y)), append(d, math.Log(y)-math.Log(x))
			}
		}
		verdicts[i].N = len(d)
		if tests[i], err = stats.Paired(d, rec.Summary.Seed); err != nil {
			verdicts[i].N, tests[i] = 0, nil // no comparable numbers
			continue
		}
		describe(&verdicts[i], tests[i], m, a, b, unitRepeat)
	}
	c.showAt(c.familyOf(m, verdicts, tests))
	return verdicts, nil
}

// overallMeans returns the mean TPS over workloads, by repeat and environment, of the
// repeats in which every cell counts.
func (c *comparer) overallMeans() map[int]map[string]float64 {
	cells, means := c.exp.Cells(), map[int]map[string]float64{}
	for repeat := 1; repeat <= c.exp.Repeats; repeat++ {
		if slices.ContainsFunc(cells, func(cell experiment.Cell) bool { return !c.fit[record.Block{Cell: cell, Repeat: repeat}] }) {
			continue
		}
		means[repeat] = map[string]float64{}
	}
	// All workloads have the same number of cells, so the mean of means is the mean of
	// all.
	for _, run := range c.counted {
		if of := means[run.Repeat]; of != nil {
			of[run.Environment] += run.Result.TPS / float64(len(cells))
		}
	}
	return means
}

// atLook returns a comparer of a record at the last look that it reached.
func atLook(rec *record.Record) (*comparer, error) {
	c, err := newComparer(rec, Options{})
	if err != nil {
		return nil, err
	}
	c.look, _ = c.at(record.NewLedger(c.environments(), rec.Runs).Finished(c.exp.Cells(), c.exp.Repeats))
	c.count()
	return c, nil
}

// ofPairs measures a quantity of each pair, for each workload.
func (c *comparer) ofPairs(pairs []Pair, q Quantity) (verdicts []record.Verdict, tests []*stats.Test, err error) {
	m, err := experiment.ParseMetric(q.Metric)
	if err != nil {
		return nil, nil, err
	}
	v := values{c.rec, m, map[record.RunID]reading{}}
	for _, p := range pairs {
		for _, w := range c.exp.Workloads {
			verdict, test := c.measure(v, subject{pair: pair{w.Name, p.Baseline, p.Other}, clients: q.Clients, rate: q.Rate})
			verdicts, tests = append(verdicts, verdict), append(tests, test)
		}
	}
	return verdicts, tests, nil
}

// familyOf returns verdicts and their tests as one family at the current look.
func (c *comparer) familyOf(m experiment.Metric, verdicts []record.Verdict, tests []*stats.Test) *family {
	f := &family{metric: m, margin: c.plan.Margin}
	if c.look != nil {
		f.alpha = c.look.Alpha
	}
	for i := range verdicts {
		f.add(&verdicts[i], tests[i])
	}
	return f
}

// showAt sets the intervals once there is a look; before that only the range may be
// shown.
func (c *comparer) showAt(f *family) {
	if c.look != nil {
		f.show()
	}
}

// Turned returns a verdict with its sides exchanged. It is the same comparison, so level and p stay
// the same.
func Turned(v record.Verdict) record.Verdict {
	v.Baseline, v.Other, v.A, v.B = v.Other, v.Baseline, v.B, v.A
	turn := func(effect float64) float64 { return min(1/(1+effect)-1, most) }
	if v.Difference {
		turn = func(effect float64) float64 { return -effect }
	}
	v.Effect, v.Low, v.High = turn(v.Effect), turn(v.High), turn(v.Low)
	switch v.Outcome {
	case record.Better:
		v.Outcome = record.Worse
	case record.Worse:
		v.Outcome = record.Better
	}
	return v
}
