package verdict

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/experiment/encode"
	"plinth/internal/hint"
	"plinth/internal/record"
)

// match finds the environments and cells that two records have in common; environments names those to
// compare, or is empty. It returns an error if more than the storage differs, unless one of them is imported.
func (c *betweener) match(environments []string) error {
	a, b := c.sides[0], c.sides[1]
	if a.rec.Summary.Engine != b.rec.Summary.Engine {
		return hint.Errorf("compare records of the same engine", "cannot compare: %s is of %s, %s of %s", a.name, a.rec.Summary.Engine, b.name, b.rec.Summary.Engine)
	}
	if err := c.pair(environments); err != nil {
		return err
	}
	for _, cell := range a.exp.Cells() {
		if slices.Contains(b.exp.Cells(), cell) {
			c.cells = append(c.cells, cell)
		}
	}
	if len(c.cells) == 0 {
		return hint.Errorf("both records need a workload with the same clients, threads and rate",
			"cannot compare %s with %s: they have no cell in common", a.name, b.name)
	}
	if c.imported() {
		return nil // most of it is unknown: see importedNotes
	}
	if differences := c.differences(); len(differences) > 0 {
		return hint.Errorf("put both into one experiment, whose runs are interleaved",
			"cannot compare %s with %s: more than the storage differs:\n  %s", a.name, b.name, strings.Join(differences, "\n  "))
	}
	return nil
}

// pair determines which environments are compared: the given one of each record or, by default, those of
// the same name.
func (c *betweener) pair(environments []string) error {
	a, b := c.sides[0], c.sides[1]
	if len(environments) == 0 {
		if c.pairs = inBoth(a.exp, b.exp); c.pairs == nil {
			return hint.Errorf("the records must have an environment of the same name, or only one environment each",
				"cannot compare: %s has %s, %s has %s", a.name, listing(environmentsOf(a.exp)), b.name, listing(environmentsOf(b.exp)))
		}
		return nil
	}
	if len(environments) != len(c.sides) {
		return hint.Errorf("give one environment of each record", "cannot compare %d environments of two records", len(environments))
	}
	for i, s := range c.sides {
		if known := environmentsOf(s.exp); !slices.Contains(known, environments[i]) {
			return hint.Errorf(hint.DidYouMean(environments[i], known, "use one of "+listing(known)),
				"cannot compare: %s has no environment %q", s.name, environments[i])
		}
	}
	c.pairs = [][2]string{{environments[0], environments[1]}}
	return nil
}

// inBoth returns the names of the environments to compare.
func inBoth(a, b *experiment.Experiment) [][2]string {
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

// differences returns everything but storage that differs, each item once.
func (c *betweener) differences() []string {
	a, b := c.sides[0], c.sides[1]
	all := a.rec.Summary.Machine.Differences(b.rec.Summary.Machine)
	for _, p := range c.pairs {
		for _, difference := range c.undeclared(p) {
			all = append(all, strings.NewReplacer("in the record", "in "+a.name, "in the file", "in "+b.name).Replace(difference))
		}
		all = append(all, c.unlike(p)...)
	}
	all = append(all, drivers(a, b)...)
	if a.rec.Summary.Awake != b.rec.Summary.Awake {
		all = append(all, "awake: CPUs were kept from halting in only one of them")
	}
	var once []string
	for _, difference := range all {
		if !slices.Contains(once, difference) {
			once = append(once, difference)
		}
	}
	return once
}

// undeclared returns the differences between the two experiments, for a pair of environments. That of an
// imported record has defaults where the files say nothing.
func (c *betweener) undeclared(p [2]string) []string {
	if c.imported() {
		return nil
	}
	a, b := c.sides[0].exp, c.sides[1].exp
	return encode.Differences(alike(a, b, p[0]), alike(b, a, p[1]))
}

// alike returns the part of an experiment that must be equal in both records, for one of its
// environments. It excludes name, seed, length and decisions, and parts of the matrix that only
// one has. Settings are those of that environment.
func alike(e, other *experiment.Experiment, environment string) *experiment.Experiment {
	x := *e
	x.Name, x.Question, x.Seed, x.SeedChosen, x.Baseline, x.Environments = "", "", 0, false, "", nil
	x.Repeats, x.Metric, x.Margin, x.Compare, x.Stop, x.KeepLog = 0, "", 0, nil, "", false
	x.Clients, x.Threads, x.Rates, x.Workloads = nil, nil, nil, nil
	x.Steps, x.Ablate, x.AllowHost = nil, "", false // how its environments were derived
	x.Cost = experiment.Cost{}                      // prices change no measurement
	for _, own := range e.Environments {
		if own.Name == environment {
			x.Settings = e.SettingsOf(own)
			x.Telemetry = e.TelemetryOf(own)
		}
	}
	for _, w := range e.Workloads {
		if slices.ContainsFunc(other.Workloads, func(o experiment.Workload) bool { return o.Name == w.Name }) {
			x.Workloads = append(x.Workloads, w)
		}
	}
	slices.SortFunc(x.Workloads, func(a, b experiment.Workload) int { return strings.Compare(a.Name, b.Name) })
	return &x
}

// unlike returns the differences between two environments as they were found. It ignores
// the round trip to the server, which depends on where the storage is.
func (c *betweener) unlike(p [2]string) []string {
	var found [2]record.Environment
	for i, s := range c.sides {
		environment, known := s.rec.Environments[p[i]]
		if !known && len(s.rec.Runs) > 0 {
			return []string{fmt.Sprintf("%s has no description of the server of %s", s.name, p[i])}
		}
		environment.Name = c.label(i, p)
		found[i] = environment
	}
	if found[0].Schema == "" || found[1].Schema == "" {
		return nil // nothing ran there
	}
	all := tunedApart(found[0], found[1])
	for _, note := range c.parity(found[0], found[1]) {
		if note.Rule != "parity-round-trip" {
			all = append(all, note.Text)
		}
	}
	return all
}

// label returns the name of an environment of one of the records in tables.
func (c *betweener) label(i int, p [2]string) string {
	if len(c.pairs) == 1 {
		return c.sides[i].name
	}
	return c.sides[i].name + "/" + p[i]
}

// drivers describes load generators that differ.
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

// layerServer is the layer of a server's knobs, as a record spells it.
const layerServer = "server"

// tunedApart describes knobs below the server that differ between environments of two
// records. The server's own knobs are among its settings, which parity compares.
func tunedApart(a, b record.Environment) []string {
	x, y := tunedBelow(a), tunedBelow(b)
	both := maps.Clone(x)
	maps.Copy(both, y)
	var all []string
	for _, key := range slices.Sorted(maps.Keys(both)) {
		if x[key] != y[key] {
			all = append(all, fmt.Sprintf("%s: %s in %s, %s in %s", key, asTuned(x, key), a.Name, asTuned(y, key), b.Name))
		}
	}
	return all
}

func tunedBelow(e record.Environment) map[string]string {
	values := map[string]string{}
	if e.Tuning == nil {
		return values
	}
	for _, k := range e.Tuning.Knobs {
		if k.Layer != layerServer && k.NotApplicable == "" {
			values[k.Key] = k.Value
		}
	}
	return values
}

func asTuned(values map[string]string, key string) string {
	if value, is := values[key]; is {
		return value
	}
	return "not tuned"
}
