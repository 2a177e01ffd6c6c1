package verdict

import (
	"fmt"
	"path/filepath"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/stats"
)

// Options is what is asked of a comparison.
type Options struct {
	Environments []string // the baseline and one other; none: all against the experiment's baseline
	Metrics      []string // that get a word; none: the declared one
	Margin       *float64 // in place of the declared one
	ByClients    bool     // in place of cells, the rows of the published form: clients, over all threads
}

// comparer compares the environments of one record.
type comparer struct {
	rec      *record.Record
	exp      *experiment.Experiment
	plan     record.Plan
	options  Options
	baseline string
	others   []string
	counted  []record.Run // of the repeats that are read
	look     *record.Look
	metrics  []experiment.Metric
}

// Of compares the environments of a record. The error is a usage error: a name
// that is not there, a record with one environment, or one whose plan or
// experiment was edited after its first run.
func Of(rec *record.Record, options Options) (*Comparison, error) {
	c, err := newComparer(rec, options)
	if err != nil {
		return nil, err
	}
	return c.compare()
}

func newComparer(rec *record.Record, options Options) (*comparer, error) {
	// No directory: a record may come from a stranger, and holds its scripts.
	exp, _, err := experiment.Parse("experiment.yaml", rec.ExperimentYAML, "", nil)
	if err != nil {
		return nil, fmt.Errorf("cannot read the experiment of record %s: %w", rec.Path, err)
	}
	c := &comparer{rec: rec, exp: exp, options: options}
	if err := c.choose(); err != nil {
		return nil, err
	}
	if err := unedited(rec); err != nil {
		return nil, err
	}
	c.plan = planOf(rec, exp)
	if options.Margin != nil {
		c.plan.Margin = *options.Margin
	}
	return c, c.chooseMetrics()
}

// planOf is the plan that a record holds, or, for one without, what follows from
// its experiment.
func planOf(rec *record.Record, exp *experiment.Experiment) record.Plan {
	if rec.Summary.Plan != nil {
		return *rec.Summary.Plan
	}
	return *PlanOf(exp)
}

// unedited refuses a record whose experiment or plan is no longer what was
// declared before its first run: looks chosen afterwards prove anything.
func unedited(rec *record.Record) error {
	const advice = "restore the record from a copy"
	if record.Fingerprint(rec.ExperimentYAML) != rec.Summary.Fingerprint {
		return hint.Errorf(advice, "cannot compare: experiment.yaml of %s was edited after the experiment began", name(rec))
	}
	declared := record.DeclaredFingerprint(rec.ExperimentYAML, rec.Summary.Plan)
	for _, run := range rec.Runs {
		if run.Declared != "" && run.Declared != declared {
			return hint.Errorf(advice, "cannot compare: the plan of %s (looks, margin or metric) was edited after the first run", name(rec))
		}
	}
	return nil
}

func name(rec *record.Record) string { return filepath.Base(rec.Path) }

// choose settles which environments are compared.
func (c *comparer) choose() error {
	if len(c.exp.Environments) < 2 {
		return hint.Errorf("compare it with another record: plinth compare RECORD RECORD",
			"cannot compare: %s has one environment, %s", name(c.rec), c.exp.Baseline)
	}
	c.baseline, c.others = c.exp.Baseline, others(c.exp)
	if len(c.options.Environments) == 0 {
		return nil
	}
	known := append([]string{c.baseline}, c.others...)
	for _, asked := range c.options.Environments {
		if !slices.Contains(known, asked) {
			return hint.Errorf(hint.DidYouMean(asked, known, "it has "+listing(known)),
				"cannot compare: %s has no environment %q", name(c.rec), asked)
		}
	}
	c.baseline, c.others = c.options.Environments[0], c.options.Environments[1:]
	if slices.Contains(c.others, c.baseline) {
		return hint.Errorf("name two different ones: "+listing(known), "cannot compare %s with itself", c.baseline)
	}
	return nil
}

// unasked is shown beside the declared metric of a closed loop, without a word: a
// mean latency would say the same as TPS once more.
const unasked = "p99"

func (c *comparer) chooseMetrics() error {
	names := c.options.Metrics
	if len(names) == 0 {
		names = []string{c.plan.Metric}
		if c.plan.Metric != unasked {
			names = append(names, unasked)
		}
	}
	for _, name := range names {
		m, err := experiment.ParseMetric(name)
		if err != nil {
			return err
		}
		c.metrics = append(c.metrics, m)
	}
	return nil
}

// compare reads the record at the last look that it reached.
func (c *comparer) compare() (*Comparison, error) {
	envs := append([]string{c.baseline}, c.others...)
	counted, leftOut := record.Counted(envs, c.rec.Runs)
	finished := record.NewLedger(envs, c.rec.Runs).Finished(c.exp.Cells(), c.exp.Repeats)
	result := &Comparison{
		Schema: Schema, Records: []string{name(c.rec)}, Question: c.rec.Summary.Question, Plan: c.plan, Repeats: finished,
	}
	c.look, result.Next = c.at(finished)
	c.counted = counted
	if result.Look = c.look; c.look != nil {
		result.Repeats = c.look.Repeat
		c.counted = slices.DeleteFunc(counted, func(r record.Run) bool { return r.Repeat > c.look.Repeat })
	}
	result.Fewest = c.fewest()
	for _, m := range c.metrics {
		if err := c.addVerdicts(result, m); err != nil {
			return nil, err
		}
	}
	c.order(result.Verdicts)
	c.order(result.Cells)
	result.Ranking = c.ranking(result.Verdicts)
	result.Sentences = sentences(result)
	result.Warnings = c.warnings(leftOut)
	if Equals(c.exp) {
		noise, err := NoiseOf(c.rec)
		result.Noise = noise
		return result, err
	}
	return result, nil
}

// at is the last look that so many finished repeats have reached, and the next.
func (c *comparer) at(finished int) (look, next *record.Look) {
	for i := range c.plan.Looks {
		if c.plan.Looks[i].Repeat > finished {
			return look, &c.plan.Looks[i]
		}
		look = &c.plan.Looks[i]
	}
	return look, nil
}

// fewest is how many units a verdict takes at the look that is read, or at the
// last one planned.
func (c *comparer) fewest() Fewest {
	alpha := c.plan.Looks[len(c.plan.Looks)-1].Alpha
	if c.look != nil {
		alpha = c.look.Alpha
	}
	return Fewest{stats.Fewest(alpha, c.plan.Family), stats.Fewest(alpha, c.plan.Cells)}
}
