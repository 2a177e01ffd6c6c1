// Package check finds what is wrong with an experiment whose values are each fine: what
// cannot go together, what there is not, what measures something else than it seems to.
package check

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/experiment"
	"plinth/internal/experiment/mistake"
	"plinth/internal/strictyaml"
	"plinth/internal/unit"
)

// All finds what is wrong with an experiment whose values are each fine, and what
// weakens it. It passes over values in which the decoder has found a mistake already.
func All(e *experiment.Experiment, notes *mistake.Notes) []experiment.Warning {
	c := &checker{Notes: notes, e: e}
	c.all()
	return c.warnings
}

type checker struct {
	*mistake.Notes
	e        *experiment.Experiment
	warnings []experiment.Warning
	valued   map[*yaml.Node]bool // values by knob that are sound, wherever else they stand
}

func (c *checker) all() {
	c.names()
	c.window()
	c.load()
	c.workloads()
	c.environments()
	c.caches()
	c.storages()
	c.models()
	c.beside()
	c.settings()
	c.tuning()
	c.connections()
	c.size()
	c.branches()
	c.redis()
	c.comparisons()
	c.turns()
}

// name checks a name that becomes a part of paths.
func (c *checker) name(name *string, what string) {
	if *name == "" || experiment.ValidName.MatchString(*name) || !c.Sound(name) {
		return
	}
	hint := ""
	if better := experiment.AsName(*name); better != "" && !strictyaml.LooksSecret(*name) {
		hint = "write " + better
	}
	c.Add(c.Places[name], hint, "%s can't be named %s: only lower-case letters, digits, hyphens and dots, at most 63, a letter or digit first",
		what, strictyaml.Quote(*name))
}

func (c *checker) names() {
	c.name(&c.e.Name, "an experiment")
	for i := range c.e.Workloads {
		w := &c.e.Workloads[i]
		c.name(&w.Name, "a workload")
		for j := range w.Scripts {
			c.name(&w.Scripts[j].Name, "a script")
		}
	}
	for i := range c.e.Environments {
		c.name(&c.e.Environments[i].Name, "an environment")
	}
}

// window checks how long a run is measured.
func (c *checker) window() {
	e := c.e
	if c.Places[&e.Duration] != nil && c.Places[&e.Transactions] != nil {
		c.Add(c.Places[&e.Transactions], "leave out one of the two", "duration and transactions are both given")
	}
	second := unit.Duration(1e9)
	if c.Sound(&e.Duration) && e.Duration%second != 0 {
		c.Add(c.Places[&e.Duration], "write "+(e.Duration/second*second+second).String(),
			"duration: must be whole seconds, because runs are observed second by second, not %s", e.Duration)
	}
	if e.LatencyLimit > 0 && c.Places[&e.Rates] == nil && c.Sound(&e.LatencyLimit, &e.Rates) {
		c.Add(c.Places[&e.LatencyLimit], "give a rate, or leave latency_limit out", "latency_limit without rate: nothing is due, so nothing is late")
	}
}

// load checks the lists that span the matrix.
func (c *checker) load() {
	e := c.e
	once(c, e.Clients, "clients")
	once(c, e.Threads, "threads")
	once(c, e.Rates, "rate")
	if c.Sound(&e.Clients, &e.Threads) && slices.Min(e.Threads) > slices.Max(e.Clients) {
		c.Add(first(c.Places[&e.Threads], c.Places[&e.Clients]), "pairs with more threads than clients are skipped, and here no pair is left",
			"threads: at least %d, but at most %s", slices.Min(e.Threads), count(slices.Max(e.Clients), "client"))
	}
}

// once notes entries of a list that are there twice: they would be one cell.
func once[T comparable](c *checker, list []T, key string) {
	for i := range list {
		if c.Sound(&list[i]) && slices.Contains(list[:i], list[i]) {
			c.Add(c.Places[&list[i]], "", "%s: %v is in the list twice", key, list[i])
		}
	}
}

func first[T any](pointers ...*T) *T {
	for _, p := range pointers {
		if p != nil {
			return p
		}
	}
	return nil
}

// maxRuns bounds an experiment: more runs than anybody waits for are a slip.
const maxRuns = 100_000

func (c *checker) size() {
	e := c.e
	if !c.Sound(&e.Clients, &e.Threads, &e.Rates, &e.Workloads, &e.Environments, &e.Repeats) {
		return
	}
	pairs := 0
	for _, clients := range e.Clients {
		for _, threads := range e.Threads {
			if threads <= clients {
				pairs++
			}
		}
	}
	runs := float64(pairs) * float64(max(1, len(e.Rates))) * float64(len(e.Workloads)) * float64(len(e.Environments)) * float64(e.Repeats)
	if runs > maxRuns {
		c.Add(nil, "give fewer repeats, clients, threads or rates", "%.0f runs, which is more than %d", runs, maxRuns)
	}
}

// hasControl says whether a text holds a line break or another control character.
func hasControl(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f })
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
