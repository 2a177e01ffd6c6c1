package verdict

import (
	"path/filepath"
	"slices"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/record"
)

// Options selects what a comparison covers.
type Options struct {
	// Environments are the baseline, then others; empty: all against the experiment's baseline. Between takes
	// one environment of each record; empty: those of the same name.
	Environments []string
	Metrics      []string // that get a verdict; empty: the declared one
	Margin       *float64 // in place of the declared one, from 0 to 1
	ByClients    bool     // compare by number of clients, over all threads, as published tables do, instead of by cell
}

// comparer compares the environments of one record.
type comparer struct {
	rec      *record.Record
	exp      *experiment.Experiment
	plan     record.Plan
	options  Options
	baseline string
	shown    []string // the environments that are requested, without the baseline
	// compared holds all pairs of environments that are decided together. A declared comparison has
	// the same outcome whether it is shown alone or not.
	compared      []Pair
	metrics       []experiment.Metric
	look          *record.Look
	runs, counted []record.Run // runs of the repeats that are used
	driven        map[record.Block][]record.Run
	fit           map[record.Block]bool // the blocks that count
}

// Of compares the environments of a record. Errors are usage errors: an unknown name, a
// record with one environment, or a record whose plan or experiment was edited after its
// first run.
func Of(rec *record.Record, options Options) (*Comparison, error) {
	c, err := newComparer(rec, options)
	if err != nil {
		return nil, err
	}
	return c.compare()
}

func newComparer(rec *record.Record, options Options) (*comparer, error) {
	exp, err := experimentOf(rec)
	if err != nil {
		return nil, err
	}
	c := &comparer{rec: rec, exp: exp, options: options}
	if err := c.choose(); err != nil {
		return nil, err
	}
	if c.plan, err = planOf(rec, exp); err != nil {
		return nil, err
	}
	if c.plan.Margin, err = options.margin(c.plan.Margin); err != nil {
		return nil, err
	}
	if c.metrics, err = options.metrics(c.plan.Metric, rec); err != nil {
		return nil, err
	}
	return c, seen(c.metrics, rec)
}

func name(rec *record.Record) string { return filepath.Base(rec.Path) }

// choose determines which environments are compared.
func (c *comparer) choose() error {
	if len(c.exp.Environments) < 2 {
		return hint.Errorf("compare it with another record: plinth compare RECORD RECORD",
			"cannot compare: %s has one environment, %s", name(c.rec), c.exp.Baseline)
	}
	c.baseline, c.shown, c.compared = c.exp.Baseline, others(c.exp), pairsOf(c.exp)
	if len(c.options.Environments) == 0 {
		if len(c.exp.Screened()) > 0 && len(c.exp.Compare) == 0 { // the others only serve the effects of the groups
			c.shown = []string{experiment.AblationNone}
			c.compared = pairsWith(c.baseline, c.shown)
		}
		return nil
	}
	known := append([]string{c.baseline}, c.shown...)
	for _, asked := range c.options.Environments {
		if !slices.Contains(known, asked) {
			return hint.Errorf(hint.DidYouMean(asked, known, "use one of "+listing(known)),
				"cannot compare: %s has no environment %q", name(c.rec), asked)
		}
	}
	c.baseline, c.shown = c.options.Environments[0], c.options.Environments[1:]
	if slices.Contains(c.shown, c.baseline) {
		return hint.Errorf("give two different environments: "+listing(known), "cannot compare %s with itself", c.baseline)
	}
	if c.baseline != c.exp.Baseline && !c.exp.ComparesAll() {
		c.compared = pairsWith(c.baseline, c.shown)
	}
	return nil
}

// covered returns the environments on which the result rests: those that are shown, or all of a screening design.
func (c *comparer) covered() []string {
	if len(c.options.Environments) == 0 && len(c.exp.Screened()) > 0 {
		return c.environments()
	}
	return append([]string{c.baseline}, c.shown...)
}

// margin returns the requested one or, by default, the declared one.
func (o Options) margin(declared float64) (float64, error) {
	if o.Margin == nil {
		return declared, nil
	}
	if err := soundMargin(*o.Margin); err != nil {
		return declared, hint.Errorf("give a share from 0 to 1: 0.03 is 3 %", "cannot compare: %w", err)
	}
	return *o.Margin, nil
}

// unasked is shown without a verdict next to the declared metric: the mean latency of a
// closed loop would only repeat what TPS shows.
const unasked = "p99"

// metrics returns the requested ones or, by default, the declared one and unasked, unless an imported
// record lacks it.
func (o Options) metrics(declared string, records ...*record.Record) ([]experiment.Metric, error) {
	names := o.Metrics
	if len(names) == 0 {
		names = []string{declared, unasked}
		lacks := func(rec *record.Record) bool {
			return rec.Import != nil && !slices.ContainsFunc(rec.Runs, func(r record.Run) bool { return r.Result.Latency.P99 > 0 })
		}
		if slices.ContainsFunc(records, lacks) {
			names = names[:1]
		}
	}
	var metrics []experiment.Metric
	for _, name := range names {
		m, err := experiment.ParseMetric(name)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(metrics, func(earlier experiment.Metric) bool { return earlier.Name == m.Name }) {
			metrics = append(metrics, m)
		}
	}
	return metrics, nil
}
