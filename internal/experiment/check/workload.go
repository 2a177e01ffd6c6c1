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

func workloads(notes *mistake.Notes, e *experiment.Experiment) {
	if len(e.Workloads) == 0 && notes.Sound(&e.Workloads) {
		offered := experiment.ScriptsOf(e.Engine) // empty if the engine is unknown
		notes.Add(nil, "add workloads: ["+strings.Join(offered[:min(3, len(offered))], ", ")+"], or some of them", "no workloads: there is nothing to run")
	}
	names := map[string]bool{}
	for i := range e.Workloads {
		w := &e.Workloads[i]
		if !notes.Sound(w) {
			continue
		}
		if names[w.Name] && w.Name != "" {
			notes.Add(first(notes.Places[&w.Name], notes.Places[w]), "", "a second workload named %s", strictyaml.Bare(w.Name))
		}
		names[w.Name] = true
		workloadParts(notes, e, w)
	}
}

func workloadParts(notes *mistake.Notes, e *experiment.Experiment, w *experiment.Workload) {
	switch {
	case len(w.Scripts) == 0:
		notes.Add(notes.Places[w], "add file: orders.sql, sql: \"SELECT 1;\", or scripts: [...]", "a workload without a script")
		return
	case w.Name == "":
		notes.Add(notes.Places[w], "add a name, such as name: orders", "a workload without a name")
	case slices.Contains(experiment.ScriptsOf(e.Engine), w.Name) && !reflect.DeepEqual(*w, experiment.WorkloadOf(w.Name)):
		notes.Add(notes.Places[&w.Name], "give it another name", "%s is also the name of a built-in script of %s, and tables could not distinguish the two", w.Name, generatorNames[e.Engine])
	}
	names := map[string]bool{}
	for i := range w.Scripts {
		s := &w.Scripts[i]
		if names[s.Name] {
			notes.Add(first(notes.Places[&s.Name], notes.Places[s]), "give each its own name", "a second script named %s in this workload", strictyaml.Bare(s.Name))
		}
		names[s.Name] = true
		if known := experiment.ScriptsOf(e.Engine); s.Builtin != "" && !slices.Contains(known, s.Builtin) {
			notes.Add(notes.Places[&s.Builtin], hint.DidYouMean(s.Builtin, known, "it can be "+hint.Choice(known)), "workloads.builtin: unknown value %s", strictyaml.Quote(s.Builtin))
		}
	}
	variables(notes, w)
}

// variableName matches the names of variables that pgbench accepts.
var variableName = regexp.MustCompile(`^[A-Za-z0-9_]+$`)

func variables(notes *mistake.Notes, w *experiment.Workload) {
	for name, value := range w.Variables {
		place := notes.Places[mistake.Setting{Of: &w.Variables, Name: name}]
		switch {
		case !variableName.MatchString(name):
			notes.Add(place, "", "a variable name can contain only letters, digits and underscores; found %s", strictyaml.Quote(name))
		case hasControl(value):
			notes.Add(place, "", "variables.%s: a line break or control character in the value", name)
		case holdsPassword(name, value):
			notes.Add(place, "leave it out", "variables.%s holds a password, and variables are recorded", name)
		}
	}
}

// branches checks the dataset against the workloads. tpcb-like updates pgbench_branches, which has
// one row per unit of scale: with more clients than rows, clients wait for each other.
func branches(notes *mistake.Notes, e *experiment.Experiment) []experiment.Warning {
	if e.Engine != experiment.EnginePostgres || !notes.Sound(&e.Dataset, &e.Workloads, &e.Clients) {
		return nil
	}
	most := slices.Max(e.Clients)
	for _, w := range e.Workloads {
		for _, s := range w.Scripts {
			switch {
			case s.Builtin != "" && e.Dataset.Scale == 0:
				notes.Add(notes.Places[&e.Dataset.Scale], "give a scale of 1 or more",
					"dataset.scale: 0 loads no pgbench tables, and %s needs them", s.Builtin)
				return nil
			case s.Builtin == "tpcb-like" && e.Dataset.Scale < most:
				return []experiment.Warning{{
					Rule: "scale-below-clients",
					Text: fmt.Sprintf("scale %d is less than the number of clients, %d: tpcb-like then measures row lock waits", e.Dataset.Scale, most),
					Hint: fmt.Sprintf("set dataset.scale to %d or more", most),
				}}
			}
		}
	}
	return nil
}

// redis checks the keys of Redis experiments.
func redis(notes *mistake.Notes, e *experiment.Experiment) {
	if e.Engine != experiment.EngineRedis {
		return
	}
	if e.Pipeline > 1 && len(e.Rates) > 0 && notes.Sound(&e.Pipeline, &e.Rates) {
		notes.Add(first(notes.Places[&e.Pipeline], notes.Places[&e.Rates]), "leave out one of the two",
			"pipeline and rate are both given: requests scheduled one by one cannot be sent in batches")
	}
	if e.Pipeline > 1 && e.Connect == "each" && notes.Sound(&e.Pipeline, &e.Connect) {
		notes.Add(first(notes.Places[&e.Pipeline], notes.Places[&e.Connect]), "leave out one of the two",
			"pipeline and connect: each are both given: requests that each have a connection cannot be sent in batches")
	}
	if place := notes.Places[&e.Dataset.Size]; place != nil && e.Dataset.Keys == 0 && notes.Sound(&e.Dataset.Keys) {
		notes.Add(place, "give dataset.keys as well, or, for the size of the values that the load writes, set payload instead", "dataset.size without dataset.keys: nothing is loaded")
	}
	if place := notes.Places[&e.Reset]; e.Reset == "vacuum" && place != nil {
		notes.Add(place, "it can be rewrite, reload or none", "reset: vacuum is for PostgreSQL only")
	}
	if e.Generator == experiment.RedisBenchmark && notes.Sound(&e.Generator) {
		redisBenchmark(notes, e)
	}
}

// redisBenchmark notes what redis-benchmark does not support.
func redisBenchmark(notes *mistake.Notes, e *experiment.Experiment) {
	const other = "use generator: plinth"
	if e.Transactions == 0 && notes.Sound(&e.Transactions) {
		notes.Add(first(notes.Places[&e.Duration], notes.Places[&e.Generator]), other+", or give transactions, such as transactions: 50000",
			"redis-benchmark sends a fixed number of requests; it cannot stop after a duration")
	}
	if len(e.Rates) > 0 && notes.Sound(&e.Rates) {
		notes.Add(notes.Places[&e.Rates], other, "redis-benchmark cannot send requests at a given rate")
	}
	if e.Distribution != "uniform" && notes.Sound(&e.Distribution) {
		notes.Add(notes.Places[&e.Distribution], other, "redis-benchmark chooses keys uniformly, not %s", e.Distribution)
	}
	if e.Warmup > 0 && notes.Sound(&e.Warmup) {
		notes.Add(notes.Places[&e.Warmup], other+", or leave warmup out", "redis-benchmark has no warm-up: its numbers include all requests")
	}
	for i := range e.Workloads {
		if w := &e.Workloads[i]; len(w.Scripts) > 1 && notes.Sound(w) {
			notes.Add(first(notes.Places[&w.Name], notes.Places[w]), other, "redis-benchmark cannot mix tests, as workload %s does", strictyaml.Bare(w.Name))
		}
	}
}

// generatorNames maps an engine to the load generator that provides its built-in scripts.
var generatorNames = map[string]string{experiment.EnginePostgres: "pgbench", experiment.EngineRedis: "redis-benchmark"}
