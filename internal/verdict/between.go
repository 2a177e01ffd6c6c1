package verdict

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/record"
	"plinth/internal/stats"
)

// unpairedAlpha is what two finished records are compared at: both were read
// where their plans end, once.
const unpairedAlpha = 0.05

// side is one of two records that are compared.
type side struct {
	rec  *record.Record
	exp  *experiment.Experiment
	name string
}

// Between compares two records: each environment of the first with that of the
// same name in the second, or the only one of each. Their runs did not take
// turns, so it is a test for independent samples, of one value a repeat, and a
// machine that drifted between the two is part of the difference.
//
// It is an error where they do not differ in storage alone: in the machine, the
// server, settings or workload. Parity names what of two environments differs
// without having been declared.
func Between(a, b *record.Record, options Options, parity func(a, b record.Environment) []record.Note) (*Comparison, error) {
	c := &betweener{options: options}
	for i, rec := range []*record.Record{a, b} {
		exp, _, err := experiment.Parse("experiment.yaml", rec.ExperimentYAML, "", nil)
		if err != nil {
			return nil, fmt.Errorf("cannot read the experiment of record %s: %w", rec.Path, err)
		}
		if err := unedited(rec); err != nil {
			return nil, err
		}
		c.sides[i] = side{rec, exp, name(rec)}
	}
	if err := c.match(parity); err != nil {
		return nil, err
	}
	return c.compare()
}

// betweener compares two records.
type betweener struct {
	options   Options
	sides     [2]side
	pairs     [][2]string // names of environments
	workloads []string    // that both drove, the same way
	cells     []experiment.Cell
	metrics   []experiment.Metric
	margin    float64
	repeats   int // the fewest of the two that are used
}

func (c *betweener) match(parity func(a, b record.Environment) []record.Note) error {
	a, b := c.sides[0], c.sides[1]
	if a.rec.Summary.Engine != b.rec.Summary.Engine {
		return hint.Errorf("", "cannot compare: %s is of %s, %s of %s", a.name, a.rec.Summary.Engine, b.name, b.rec.Summary.Engine)
	}
	if c.pairs = pairsOf(a.exp, b.exp); c.pairs == nil {
		return hint.Errorf("records compare environments of the same name, or the only one of each",
			"cannot compare: %s has %s, %s has %s", a.name, listing(environmentsOf(a.exp)), b.name, listing(environmentsOf(b.exp)))
	}
	for _, cell := range a.exp.Cells() {
		if slices.Contains(b.exp.Cells(), cell) {
			c.cells = append(c.cells, cell)
		}
	}
	if len(c.cells) == 0 {
		return hint.Errorf("both must have driven a workload with the same clients, threads and rate",
			"cannot compare %s with %s: they have no cell in common", a.name, b.name)
	}
	if differences := c.differences(parity); len(differences) > 0 {
		return hint.Errorf("put what is to be compared into one experiment: its runs then take turns",
			"cannot compare %s with %s: more than the storage differs:\n  %s", a.name, b.name, strings.Join(differences, "\n  "))
	}
	return c.choose()
}

func (c *betweener) choose() error {
	exp := c.sides[0].exp
	one := &comparer{options: c.options, plan: planOf(c.sides[0].rec, exp), exp: exp}
	if err := one.chooseMetrics(); err != nil {
		return err
	}
	c.metrics, c.margin = one.metrics, one.plan.Margin
	if c.options.Margin != nil {
		c.margin = *c.options.Margin
	}
	return nil
}

// pairsOf are the environments that are compared.
func pairsOf(a, b *experiment.Experiment) [][2]string {
	var pairs [][2]string
	for _, name := range environmentsOf(a) {
		if slices.Contains(environmentsOf(b), name) {
			pairs = append(pairs, [2]string{name, name})
		}
	}
	if pairs == nil && len(a.Environments) == 1 && len(b.Environments) == 1 {
		pairs = append(pairs, [2]string{a.Environments[0].Name, b.Environments[0].Name})
	}
	return pairs
}

func environmentsOf(e *experiment.Experiment) []string {
	var names []string
	for _, environment := range e.Environments {
		names = append(names, environment.Name)
	}
	return names
}

// differences is everything but the storage that is not the same.
func (c *betweener) differences(parity func(a, b record.Environment) []record.Note) []string {
	a, b := c.sides[0], c.sides[1]
	all := a.rec.Summary.Machine.Differences(b.rec.Summary.Machine)
	for _, difference := range experiment.Differences(alike(a.exp, b.exp), alike(b.exp, a.exp)) {
		all = append(all, strings.NewReplacer("in the record", "in "+a.name, "in the file", "in "+b.name).Replace(difference))
	}
	for _, p := range c.pairs {
		x, inA := a.rec.Environments[p[0]]
		y, inB := b.rec.Environments[p[1]]
		if !inA || !inB {
			continue
		}
		for _, note := range parity(x, y) {
			if note.Rule != "parity-round-trip" {
				all = append(all, note.Text)
			}
		}
	}
	return append(all, drivers(a, b)...)
}

// alike is what of an experiment must be the same in both records: not its name,
// seed, length and decisions, nor what only one of the two has in its matrix.
func alike(e, other *experiment.Experiment) *experiment.Experiment {
	x := *e
	x.Name, x.Question, x.Seed, x.SeedChosen, x.Baseline, x.Environments = "", "", 0, false, "", nil
	x.Repeats, x.Metric, x.Margin, x.Compare, x.Stop, x.KeepLog = 0, "", 0, nil, "", false
	x.Clients, x.Threads, x.Rates = nil, nil, nil
	x.Workloads = nil
	for _, w := range e.Workloads {
		if slices.ContainsFunc(other.Workloads, func(o experiment.Workload) bool { return o.Name == w.Name }) {
			x.Workloads = append(x.Workloads, w)
		}
	}
	slices.SortFunc(x.Workloads, func(a, b experiment.Workload) int { return strings.Compare(a.Name, b.Name) })
	return &x
}

// drivers tells of load generators that are not the same.
func drivers(a, b side) []string {
	programs := func(s side) []string {
		found := map[string]bool{}
		for _, run := range s.rec.Runs {
			if run.Driver.Program != "" {
				found[run.Driver.Program+" "+run.Driver.Version] = true
			}
		}
		return slices.Sorted(maps.Keys(found))
	}
	x, y := programs(a), programs(b)
	if x == nil || y == nil || reflect.DeepEqual(x, y) {
		return nil
	}
	return []string{fmt.Sprintf("load generator: %s in %s, %s in %s", listing(x), a.name, listing(y), b.name)}
}

func (c *betweener) compare() (*Comparison, error) {
	a, b := c.sides[0], c.sides[1]
	family := len(c.pairs) * len(c.workloadNames())
	result := &Comparison{
		Schema: Schema, Records: []string{a.name, b.name}, Question: a.rec.Summary.Question, Unpaired: true,
		Plan: record.Plan{
			Metric: c.metrics[0].Name, Margin: c.margin, Unit: unitRepeat, Stop: "end", Family: family, Cells: family * len(c.cells),
		},
		Cells: []record.Verdict{}, Fewest: Fewest{Workload: fewestUnits},
	}
	for i, m := range c.metrics {
		verdicts, err := c.family(m, i == 0 || len(c.options.Metrics) > 0)
		if err != nil {
			return nil, err
		}
		result.Verdicts = append(result.Verdicts, verdicts...)
	}
	result.Repeats = c.repeats
	if c.finished() {
		result.Look = &record.Look{Repeat: c.repeats, Units: c.repeats, Alpha: unpairedAlpha}
	}
	result.Sentences = sentences(result)
	result.Warnings = c.warnings()
	return result, nil
}

// fewestUnits is the number of units below which nothing but a range is told.
const fewestUnits = 6

func (c *betweener) finished() bool {
	return c.sides[0].rec.Summary.State == record.Complete && c.sides[1].rec.Summary.State == record.Complete
}

func (c *betweener) workloadNames() []string {
	var names []string
	for _, cell := range c.cells {
		if !slices.Contains(names, cell.Workload) {
			names = append(names, cell.Workload)
		}
	}
	return names
}

func (c *betweener) family(m experiment.Metric, decided bool) ([]record.Verdict, error) {
	var verdicts []record.Verdict
	var tests []*stats.Test
	for _, workload := range c.workloadNames() {
		for _, p := range c.pairs {
			v, test, err := c.measure(m, workload, p)
			if err != nil {
				return nil, err
			}
			verdicts, tests = append(verdicts, v), append(tests, test)
		}
	}
	if !c.finished() {
		return verdicts, nil
	}
	one := &comparer{plan: record.Plan{Margin: c.margin}}
	for i, d := range stats.Decide(tests, unpairedAlpha, one.margin(m)) {
		v := &verdicts[i]
		one.enter(v, m, d)
		switch {
		case v.Word == record.Unfit || !decided:
		case v.N < fewestUnits:
			v.Word = record.Inconclusive
		default:
			v.Word = word(d.Word, m)
		}
	}
	return verdicts, nil
}

// measure is the effect on one workload, as independent samples.
func (c *betweener) measure(m experiment.Metric, workload string, p [2]string) (record.Verdict, *stats.Test, error) {
	v := record.Verdict{
		Workload: workload, Metric: m.Name, Difference: m.Share, P: 1,
		Baseline: c.label(0, p), Other: c.label(1, p),
	}
	var values [2][]float64
	for i, s := range c.sides {
		var err error
		if values[i], v.Cells, err = c.repeatMeans(s, p[i], workload, m); err != nil {
			return v, nil, err
		}
	}
	v.N = min(len(values[0]), len(values[1]))
	c.repeats = max(c.repeats, v.N)
	if v.N == 0 {
		v.Word = record.Unfit
		return v, nil, nil
	}
	test, err := stats.Independent(values[0], values[1], c.sides[0].rec.Summary.Seed)
	if err != nil {
		v.Word = record.Unfit
		return v, nil, nil
	}
	v.A, v.B = back(average(values[0]), m), back(average(values[1]), m)
	v.Effect = effect(test.Mean(), m)
	low, high := test.Range()
	v.Low, v.High = effect(low, m), effect(high, m)
	for _, note := range test.Notes() {
		v.Warnings = append(v.Warnings, record.Note{Rule: note.Rule, Text: note.Text})
	}
	return v, test, nil
}

// label is how the table calls an environment of one of the records.
func (c *betweener) label(i int, p [2]string) string {
	if len(c.pairs) == 1 {
		return c.sides[i].name
	}
	return c.sides[i].name + "/" + p[i]
}

// repeatMeans is the mean over the common cells of a workload, one for each
// repeat in which all of them have a valid run.
func (c *betweener) repeatMeans(s side, environment, workload string, m experiment.Metric) (means []float64, cells int, err error) {
	counted, _ := record.Counted([]string{environment}, s.rec.Runs)
	sums, counts := map[int]float64{}, map[int]int{}
	for i := range counted {
		run := &counted[i]
		if run.Workload != workload || !slices.Contains(c.cells, run.Cell) {
			continue
		}
		value, ok, err := values{s.rec, m}.of(run)
		if err != nil {
			return nil, 0, err
		}
		if ok {
			sums[run.Repeat] += scaled(value, m)
			counts[run.Repeat]++
		}
	}
	for _, cell := range c.cells {
		if cell.Workload == workload {
			cells++
		}
	}
	for _, repeat := range slices.Sorted(maps.Keys(sums)) {
		if counts[repeat] == cells {
			means = append(means, sums[repeat]/float64(cells))
		}
	}
	return means, cells, nil
}

func (c *betweener) warnings() []record.Note {
	notes := []record.Note{{
		Rule: "unpaired",
		Text: "the two records did not take turns: a machine that drifted between them shows as a difference. " +
			"In simulations of a drifting machine, environments measured one after the other differ by chance a third of the time",
		Hint: "put both environments into one experiment",
	}}
	if !c.finished() {
		notes = append(notes, record.Note{Rule: "unfinished", Text: "one of the records is not complete: there is no verdict before its plan's end"})
	}
	return notes
}
