package verdict

import (
	"math"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/stats"
)

// subject is what one verdict is about: a workload, or one cell or one number of
// clients of it, in one environment against the baseline.
type subject struct {
	pair
	cell    *experiment.Cell
	clients int
	rate    float64
}

func (s subject) holds(c experiment.Cell) bool {
	switch {
	case c.Workload != s.workload:
		return false
	case s.cell != nil:
		return c == *s.cell
	}
	return s.clients == 0 || c.Clients == s.clients && c.Rate == s.rate
}

// addVerdicts compares by one metric: workloads, which share the error, and
// their parts, which are a second family.
func (c *comparer) addVerdicts(result *Comparison, m experiment.Metric) error {
	var wholes, parts []subject
	for _, p := range c.pairs() {
		wholes = append(wholes, subject{pair: p})
		parts = append(parts, c.parts(p)...)
	}
	verdicts, err := c.family(m, wholes, record.Inconclusive)
	if err != nil {
		return err
	}
	result.Verdicts = append(result.Verdicts, verdicts...)
	if len(parts) == len(wholes) {
		return nil // one cell each: the workload has said it
	}
	// Below the fewest blocks a part has no word, not even inconclusive: it is the
	// workload that carries the verdict.
	cells, err := c.family(m, parts, "")
	result.Cells = append(result.Cells, cells...)
	return err
}

// pairs are all comparisons that are shown.
func (c *comparer) pairs() []pair {
	var pairs []pair
	for _, w := range c.exp.Workloads {
		for _, other := range c.others {
			pairs = append(pairs, pair{w.Name, other})
		}
	}
	return pairs
}

// parts are the cells of a pair, or its numbers of clients.
func (c *comparer) parts(p pair) []subject {
	var parts []subject
	for _, cell := range c.exp.Cells() {
		s := subject{pair: p, cell: &cell}
		if c.options.ByClients {
			s = subject{pair: p, clients: cell.Clients, rate: cell.Rate}
		}
		if cell.Workload == p.workload && !slices.ContainsFunc(parts, func(o subject) bool { return o.holds(cell) }) {
			parts = append(parts, s)
		}
	}
	return parts
}

// isDeclared says whether comparisons by m are those that were declared before
// the first run.
func (c *comparer) isDeclared(m experiment.Metric) bool {
	return m.Name == c.plan.Metric && c.baseline == c.exp.Baseline
}

// decides says whether a pair gets a word by a metric: when that was declared, or
// somebody asks for it.
func (c *comparer) decides(p pair, m experiment.Metric) bool {
	if len(c.options.Metrics) > 0 {
		return true
	}
	return m.Name == c.plan.Metric && (len(c.options.Environments) > 0 || c.exp.Compares(p.workload, p.other))
}

// family compares subjects by one metric. Those that are to be decided share the
// error of the look; the others have effect and interval only. TooFew is the word
// for a subject with too few units for any.
func (c *comparer) family(m experiment.Metric, subjects []subject, tooFew record.Word) ([]record.Verdict, error) {
	verdicts := make([]record.Verdict, len(subjects))
	tests := make([]*stats.Test, len(subjects))
	for i, s := range subjects {
		var err error
		if verdicts[i], tests[i], err = c.measure(m, s); err != nil {
			return nil, err
		}
	}
	if c.look == nil {
		return verdicts, nil // the range is all that may be seen before the first look
	}
	var family []int
	for i, s := range subjects {
		if c.decides(s.pair, m) {
			family = append(family, i)
			continue
		}
		d := stats.Decide(tests[i:i+1], c.look.Alpha, c.margin(m))[0]
		c.enter(&verdicts[i], m, d)
	}
	c.decide(m, verdicts, tests, family, tooFew)
	return verdicts, nil
}

// decide gives words to the members of a family.
func (c *comparer) decide(m experiment.Metric, verdicts []record.Verdict, tests []*stats.Test, family []int, tooFew record.Word) {
	members := make([]*stats.Test, c.size(m, len(family)))
	for i, at := range family {
		members[i] = tests[at]
	}
	fewest := stats.Fewest(c.look.Alpha, len(members))
	for i, d := range stats.Decide(members, c.look.Alpha, c.margin(m))[:len(family)] {
		v := &verdicts[family[i]]
		c.enter(v, m, d)
		switch {
		case v.Word == record.Unfit:
		case v.N < fewest:
			v.Word = tooFew
		default:
			v.Word = word(d.Word, m)
		}
	}
}

// size is how many comparisons share the error: as many as were declared, also
// where only some of them are shown.
func (c *comparer) size(m experiment.Metric, shown int) int {
	if all := len(others(c.exp)); c.isDeclared(m) && len(c.others) < all {
		return shown * all
	}
	return shown
}

// word turns a direction into better or worse.
func word(w stats.Word, m experiment.Metric) record.Word {
	switch {
	case w == stats.Equal:
		return record.Equivalent
	case w == stats.Unknown:
		return record.Inconclusive
	case (w == stats.Up) == m.Higher:
		return record.Better
	}
	return record.Worse
}

// margin is the margin on the scale on which differences are taken. For ratios it
// is a factor either way, so that A is equivalent to B when B is to A.
func (c *comparer) margin(m experiment.Metric) float64 {
	if m.Share {
		return c.plan.Margin
	}
	return math.Log1p(c.plan.Margin)
}

// measure is the effect of a subject with the range of its units, and its test;
// no test where there is no number.
func (c *comparer) measure(m experiment.Metric, s subject) (record.Verdict, *stats.Test, error) {
	v := record.Verdict{
		Workload: s.workload, Cell: s.cell, Clients: s.clients, Rate: s.rate,
		Metric: m.Name, Baseline: c.baseline, Other: s.other, Difference: m.Share, P: 1,
	}
	blocks, unusable, err := c.blocksOf(values{c.rec, m}, s)
	if err != nil {
		return v, nil, err
	}
	sample := sampleOf(blocks, c.plan.Unit)
	v.N, v.Cells, v.Warnings = len(sample.d), sample.cells, append(sample.notes, c.parity(s.other)...)
	if unusable > 0 {
		v.Warnings = append(v.Warnings, withoutNumber(unusable, m))
	}
	if v.N == 0 {
		if c.driven(s) {
			v.Word = record.Unfit
		}
		return v, nil, nil
	}
	test, err := stats.Paired(sample.d, c.rec.Summary.Seed)
	if err != nil {
		v.Word = record.Unfit
		return v, nil, nil
	}
	v.A, v.B = back(average(sample.a), m), back(average(sample.b), m)
	v.Effect = effect(test.Mean(), m)
	low, high := test.Range()
	v.Low, v.High = effect(low, m), effect(high, m)
	for _, note := range test.Notes() {
		v.Warnings = append(v.Warnings, record.Note{Rule: note.Rule, Text: note.Text})
	}
	return v, test, nil
}

// enter writes the interval at its level into a verdict.
func (c *comparer) enter(v *record.Verdict, m experiment.Metric, d stats.Decision) {
	if v.N == 0 {
		return
	}
	v.Low, v.High, v.Level, v.P = effect(d.Low, m), effect(d.High, m), d.Level, d.P
}

// driven says whether there are complete blocks of a subject at all.
func (c *comparer) driven(s subject) bool {
	return slices.ContainsFunc(c.rec.Runs, func(r record.Run) bool { return s.holds(r.Cell) && r.Environment == s.other })
}

// effect turns a difference of logarithms into a relative effect.
func effect(d float64, m experiment.Metric) float64 {
	if m.Share {
		return d
	}
	return math.Expm1(d)
}

func back(value float64, m experiment.Metric) float64 {
	if m.Share {
		return value
	}
	return math.Exp(value)
}

func average(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
