package verdict

import (
	"path/filepath"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/record"
)

// unpairedAlpha is the error allowed when two finished records are compared: both were
// read once, at the end of their plans.
const unpairedAlpha = 0.05

// fewestRepeats is the number of repeats below which two records get a range only.
// Independent samples would allow a verdict from four on, but the repeats of a record
// depend on each other, and no order was randomised that would compensate for it.
const fewestRepeats = 6

// side is one of the two compared records.
type side struct {
	rec  *record.Record
	exp  *experiment.Experiment
	name string
}

// betweener compares two records.
type betweener struct {
	sides   [2]side
	parity  func(a, b record.Environment) []record.Note
	asked   bool        // the user selected metrics
	pairs   [][2]string // names of environments, one of each side
	cells   []experiment.Cell
	metrics []experiment.Metric
	margin  float64
	repeats int // the smaller number used of the two records
}

// Between compares two records: each environment of the first with the environment of the same name
// in the second or, if each record has only one environment, these two; with two names in
// options.Environments, the first record's environment of the first name with the second's of the second.
// Their runs were not interleaved, so the test is one for independent samples, with one value per repeat, and drift of
// the machine between the two records is part of the difference. Metric and margin are those of the
// first record.
//
// Between returns an error if the records differ in more than storage: in the machine,
// the server, settings or workload. Parity returns notes on undeclared differences
// between two environments.
func Between(a, b *record.Record, options Options, parity func(a, b record.Environment) []record.Note) (*Comparison, error) {
	c := &betweener{parity: parity, asked: len(options.Metrics) > 0}
	names, err := namesOf(a, b)
	if err != nil {
		return nil, err
	}
	for i, rec := range []*record.Record{a, b} {
		exp, err := experimentOf(rec)
		if err != nil {
			return nil, err
		}
		c.sides[i] = side{rec, exp, names[i]}
	}
	if err := c.match(options.Environments); err != nil {
		return nil, err
	}
	if c.margin, err = options.margin(float64(c.sides[0].exp.Margin)); err != nil {
		return nil, err
	}
	if c.metrics, err = options.metrics(c.sides[0].exp.Metric, a, b); err != nil {
		return nil, err
	}
	if err := seen(c.metrics, a, b); err != nil {
		return nil, err
	}
	return c.compare(), nil
}

// namesOf returns distinct names for the two records: those of their directories or,
// where these are equal in two stores, their paths.
func namesOf(a, b *record.Record) ([2]string, error) {
	x, y := filepath.Clean(a.Path), filepath.Clean(b.Path)
	switch {
	case x == y:
		return [2]string{}, hint.Errorf("give two different records", "cannot compare record %s with itself", name(a))
	case name(a) == name(b):
		return [2]string{x, y}, nil
	}
	return [2]string{name(a), name(b)}, nil
}

func (c *betweener) compare() *Comparison {
	a, b := c.sides[0], c.sides[1]
	family := len(c.pairs) * len(c.workloads())
	result := &Comparison{
		Schema: Schema, Records: []string{a.name, b.name}, Question: a.rec.Summary.Question, Engine: a.rec.Summary.Engine, Unpaired: true,
		Plan: record.Plan{
			Metric: c.metrics[0].Name, Margin: c.margin, Unit: unitRepeat, Stop: "end", Family: family, Cells: family * len(c.cells),
		},
		Verdicts: []record.Verdict{}, Cells: []record.Verdict{}, Fewest: Fewest{Workload: c.fewest(family)},
		Families: Families{Workload: family},
	}
	for i, m := range c.metrics {
		result.Verdicts = append(result.Verdicts, c.compareBy(m, i == 0 || c.asked)...)
	}
	result.Repeats = c.repeats
	if c.finished() {
		result.Look = &record.Look{Repeat: c.repeats, Units: c.repeats, Alpha: unpairedAlpha}
	}
	for _, p := range c.pairs {
		for i, s := range c.sides {
			if s.rec.Environments[p[i]].Basis() == record.BasisImported {
				result.Imported = append(result.Imported, c.label(i, p))
			}
		}
	}
	result.Sentences = sentences(result)
	result.Durability = c.survivals()
	result.Warnings = c.warnings()
	return result
}

// finished reports whether there can be a verdict. Imported repeats are not known to be independent.
func (c *betweener) finished() bool {
	return !c.imported() && c.sides[0].rec.Summary.State == record.Complete && c.sides[1].rec.Summary.State == record.Complete
}

func (c *betweener) imported() bool {
	return c.sides[0].rec.Import != nil || c.sides[1].rec.Import != nil
}

// stopped reports whether a record ended at the look that decided it. Such an end depends
// on the data seen so far, which overestimates the effect.
func stopped(s side) bool { return strings.HasPrefix(s.rec.Summary.Reason, "decided at") }

func (c *betweener) warnings() []record.Note {
	notes := []record.Note{{
		Rule: "unpaired",
		Text: "the runs of the two records were not interleaved: drift of the machine between them shows as a difference. " +
			"On simulated machines with drift, equal environments measured one after the other are called different in 20 to 100 % of trials (docs/method.md)",
		Hint: "put both environments into one experiment",
	}, {
		Rule: "not-declared",
		Text: "a comparison of these two records was not declared before their first runs: among many comparisons some show a difference by chance",
		Hint: "put both environments into one experiment",
	}}
	for _, side := range c.sides {
		if stopped(side) {
			notes = append(notes, record.Note{Rule: "stopped-early",
				Text: side.name + " stopped at the look that decided it: its effect is likely overestimated, so there is no verdict between the two",
				Hint: "run both to the end of their plans: stop: end"})
		}
	}
	if c.imported() {
		return append(notes, c.importedNotes()...)
	}
	if !c.finished() {
		notes = append(notes, record.Note{Rule: "unfinished", Text: "one of the records is not complete: there is no verdict before the end of its plan"})
	}
	return notes
}

// importedNotes describe what a comparison with numbers of others leaves open.
func (c *betweener) importedNotes() []record.Note {
	notes := []record.Note{{Rule: RuleImported,
		Text: "at least one of the records is imported, so there is an effect with its range, but no verdict: plinth saw neither the machine nor the runs"}}
	if differences := c.differences(); len(differences) > 0 {
		notes = append(notes, record.Note{Rule: RuleImported,
			Text: "as far as the records say, more than the storage differs: " + strings.Join(differences, "; ")})
	}
	return notes
}

// survivals returns the durability results of the environments that both records have in
// common; those of the first record are the baseline.
func (c *betweener) survivals() []record.Survival {
	var all []record.Survival
	for i, side := range c.sides {
		var names []string
		for _, pair := range c.pairs {
			if !slices.Contains(names, pair[i]) {
				names = append(names, pair[i])
			}
		}
		for _, r := range side.rec.Summary.Survivals("", names) {
			r.Record, r.Baseline = side.name, i == 0
			all = append(all, r)
		}
	}
	return all
}
