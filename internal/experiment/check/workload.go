package check

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/experiment/mistake"
	"plinth/internal/hint"
	"plinth/internal/strictyaml"
)

func (c *checker) workloads() {
	e := c.e
	if len(e.Workloads) == 0 && c.Sound(&e.Workloads) {
		c.Add(nil, "add workloads: ["+strings.Join(c.offered(), ", ")+"], or some of them", "no workloads: there is nothing to drive")
	}
	names := map[string]bool{}
	for i := range e.Workloads {
		w := &e.Workloads[i]
		if !c.Sound(w) {
			continue
		}
		if names[w.Name] && w.Name != "" {
			c.Add(first(c.Places[&w.Name], c.Places[w]), "", "a second workload named %s", strictyaml.Bare(w.Name))
		}
		names[w.Name] = true
		c.workloadParts(w)
	}
}

// offered is the first of the scripts that there are without writing any.
func (c *checker) offered() []string {
	all := experiment.ScriptsOf(c.e.Engine) // none of an engine that there is not
	return all[:min(3, len(all))]
}

func (c *checker) workloadParts(w *experiment.Workload) {
	e := c.e
	switch {
	case len(w.Scripts) == 0:
		c.Add(c.Places[w], "add file: orders.sql, sql: \"SELECT 1;\", or scripts: [...]", "a workload without a script")
		return
	case w.Name == "":
		c.Add(c.Places[w], "add name: orders", "a workload without a name")
	case slices.Contains(experiment.ScriptsOf(e.Engine), w.Name) && !reflect.DeepEqual(*w, experiment.WorkloadOf(w.Name)):
		c.Add(c.Places[&w.Name], "give it another name", "%s is the name of %s's own script, and tables would show this one under it", w.Name, generatorNames[e.Engine])
	}
	names := map[string]bool{}
	for i := range w.Scripts {
		s := &w.Scripts[i]
		if names[s.Name] {
			c.Add(first(c.Places[&s.Name], c.Places[s]), "give each a name: of its own", "a second script named %s in this workload", strictyaml.Bare(s.Name))
		}
		names[s.Name] = true
		if known := experiment.ScriptsOf(e.Engine); s.Builtin != "" && !slices.Contains(known, s.Builtin) {
			c.Add(c.Places[&s.Builtin], hint.DidYouMean(s.Builtin, known, "it can be "+hint.Choice(known)), "workloads.builtin: unknown value %s", strictyaml.Quote(s.Builtin))
		}
	}
	c.variables(w)
}

// variableName is what pgbench takes as the name of a variable.
var variableName = regexp.MustCompile(`^[A-Za-z0-9_]+$`)

func (c *checker) variables(w *experiment.Workload) {
	for name, value := range w.Variables {
		place := c.Places[mistake.Setting{Of: &w.Variables, Name: name}]
		switch {
		case !variableName.MatchString(name):
			c.Add(place, "", "the name of a variable has letters, digits and underscores only; found %s", strictyaml.Quote(name))
		case hasControl(value):
			c.Add(place, "", "variables.%s: a line break or control character in the value", name)
		case holdsPassword(name, value):
			c.Add(place, "leave it out", "variables.%s holds a password, and variables are recorded", name)
		}
	}
}

// branches checks the dataset against what drives it. tpcb-like updates one row
// for each unit of scale: with more clients than that, they wait for each other.
func (c *checker) branches() {
	e := c.e
	if e.Engine != experiment.EnginePostgres || !c.Sound(&e.Dataset, &e.Workloads, &e.Clients) {
		return
	}
	most := slices.Max(e.Clients)
	for _, s := range builtinScripts(e) {
		switch {
		case e.Dataset.Scale == 0:
			c.Add(c.Places[&e.Dataset.Scale], "give a scale of 1 or more",
				"dataset.scale: 0 loads no pgbench tables, and %s needs them", s)
			return
		case s == "tpcb-like" && e.Dataset.Scale < most:
			c.warnings = append(c.warnings, experiment.Warning{
				Rule: "scale-below-clients",
				Text: fmt.Sprintf("scale %d is less than %d clients: tpcb-like then measures waiting for row locks", e.Dataset.Scale, most),
				Hint: fmt.Sprintf("set dataset.scale to %d or more", most),
			})
			return
		}
	}
}

// builtinScripts is the built-in scripts that the workloads use.
func builtinScripts(e *experiment.Experiment) []string {
	var names []string
	for _, w := range e.Workloads {
		for _, s := range w.Scripts {
			if s.Builtin != "" {
				names = append(names, s.Builtin)
			}
		}
	}
	return names
}

// redis checks what only Redis has.
func (c *checker) redis() {
	e := c.e
	if e.Engine != experiment.EngineRedis {
		return
	}
	if e.Pipeline > 1 && len(e.Rates) > 0 && c.Sound(&e.Pipeline, &e.Rates) {
		c.Add(first(c.Places[&e.Pipeline], c.Places[&e.Rates]), "leave out one of the two",
			"pipeline and rate are both given: requests that are due one by one are not sent in batches")
	}
	if place := c.Places[&e.Dataset.Size]; place != nil && e.Dataset.Keys == 0 && c.Sound(&e.Dataset.Keys) {
		c.Add(place, "give dataset.keys, too; payload is the size of what the load writes", "dataset.size without dataset.keys: nothing is loaded")
	}
	if place := c.Places[&e.Reset]; e.Reset == "vacuum" && place != nil {
		c.Add(place, "it can be rewrite, reload or none", "reset: vacuum is PostgreSQL's")
	}
	if e.Generator == experiment.RedisBenchmark && c.Sound(&e.Generator) {
		c.redisBenchmark()
	}
}

// redisBenchmark notes what redis-benchmark cannot do.
func (c *checker) redisBenchmark() {
	e := c.e
	const other = "generator: plinth can"
	if e.Transactions == 0 && c.Sound(&e.Transactions) {
		c.Add(first(c.Places[&e.Duration], c.Places[&e.Generator]), other+"; or give transactions: 50000",
			"redis-benchmark sends a number of requests; it can't stop after a time")
	}
	if len(e.Rates) > 0 && c.Sound(&e.Rates) {
		c.Add(c.Places[&e.Rates], other, "redis-benchmark can't send requests at a rate")
	}
	if e.Distribution != "uniform" && c.Sound(&e.Distribution) {
		c.Add(c.Places[&e.Distribution], other, "redis-benchmark draws its keys uniformly, not %s", e.Distribution)
	}
	if e.Warmup > 0 && c.Sound(&e.Warmup) {
		c.Add(c.Places[&e.Warmup], other+"; or leave warmup out", "redis-benchmark has no warm-up: all that it sends is in its numbers")
	}
	for i := range e.Workloads {
		if w := &e.Workloads[i]; len(w.Scripts) > 1 && c.Sound(w) {
			c.Add(first(c.Places[&w.Name], c.Places[w]), other, "redis-benchmark can't mix tests, as workload %s does", strictyaml.Bare(w.Name))
		}
	}
}

// generatorNames are the load generators whose scripts people know.
var generatorNames = map[string]string{experiment.EnginePostgres: "pgbench", experiment.EngineRedis: "redis-benchmark"}
