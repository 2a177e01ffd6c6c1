// Package check validates an experiment as a whole, after each value has been checked by
// itself: it finds conflicting values, references to names that do not exist, and values with
// which an experiment would not measure what it appears to measure.
package check

import (
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/experiment/mistake"
	"plinth/internal/strictyaml"
	"plinth/internal/unit"
)

// All notes the mistakes of an experiment and returns warnings about its weaknesses. It skips values
// in which the decoder has already found a mistake.
func All(e *experiment.Experiment, notes *mistake.Notes) []experiment.Warning {
	names(notes, e)
	if imported(notes, e) {
		return nil
	}
	window(notes, e)
	load(notes, e)
	workloads(notes, e)
	environments(notes, e)
	caches(notes, e)
	storages(notes, e)
	models(notes, e)
	beside(notes, e)
	settings(notes, e)
	tuning(notes, e)
	connections(notes, e)
	size(notes, e)
	shared(notes, e)
	warnings := branches(notes, e)
	redis(notes, e)
	comparisons(notes, e)
	return slices.Concat(form(e), warnings, turns(notes, e))
}

// imported reports whether an experiment describes what others measured. It needs no more checks: it
// is not run, and what it does not say is unknown.
func imported(notes *mistake.Notes, e *experiment.Experiment) bool {
	if len(e.Only) > 0 && !e.Imported && notes.Sound(&e.Only) {
		notes.Add(notes.Places[&e.Only], "list clients, threads and rate", "cells is for imported records only")
	}
	if e.Imported && len(e.Only) == 0 {
		size(notes, e)
	}
	if e.Engine == experiment.EngineOther && !e.Imported && notes.Sound(&e.Engine) {
		notes.Add(notes.Places[&e.Engine], "it can be postgres or redis", "engine: other is for imported records only")
	}
	return e.Imported
}

// form returns the note of the chosen form as a warning, so that it is part of the results.
func form(e *experiment.Experiment) []experiment.Warning {
	note := e.Chosen().Note
	if note == "" {
		return nil
	}
	return []experiment.Warning{{Rule: "form", Text: e.Form + " form: " + note}}
}

// name checks a name that becomes part of a path.
func name(notes *mistake.Notes, name *string, what string) {
	if *name == "" || experiment.ValidName.MatchString(*name) || !notes.Sound(name) {
		return
	}
	hint := ""
	if better := experiment.AsName(*name); better != "" && !strictyaml.LooksSecret(*name) {
		hint = "write " + better
	}
	notes.Add(notes.Places[name], hint, "%s cannot be named %s: use at most 63 lower-case letters, digits, hyphens and dots, beginning with a letter or digit",
		what, strictyaml.Quote(*name))
}

func names(notes *mistake.Notes, e *experiment.Experiment) {
	name(notes, &e.Name, "an experiment")
	for i := range e.Workloads {
		w := &e.Workloads[i]
		name(notes, &w.Name, "a workload")
		for j := range w.Scripts {
			name(notes, &w.Scripts[j].Name, "a script")
		}
	}
	for i := range e.Environments {
		name(notes, &e.Environments[i].Name, "an environment")
	}
}

// window checks the length of the measured window.
func window(notes *mistake.Notes, e *experiment.Experiment) {
	if notes.Places[&e.Duration] != nil && notes.Places[&e.Transactions] != nil {
		notes.Add(notes.Places[&e.Transactions], "leave out one of the two", "duration and transactions are both given")
	}
	second := unit.Duration(1e9)
	if notes.Sound(&e.Duration) && e.Duration%second != 0 {
		notes.Add(notes.Places[&e.Duration], "write "+(e.Duration/second*second+second).String(),
			"duration: %s is not a whole number of seconds, and runs are recorded per second", e.Duration)
	}
	if e.LatencyLimit > 0 && notes.Places[&e.Rates] == nil && notes.Sound(&e.LatencyLimit, &e.Rates) {
		notes.Add(notes.Places[&e.LatencyLimit], "give a rate, or leave latency_limit out", "latency_limit without rate: without a schedule, no transaction can be late")
	}
}

// load checks the lists that define the matrix.
func load(notes *mistake.Notes, e *experiment.Experiment) {
	once(notes, e.Clients, "clients")
	once(notes, e.Threads, "threads")
	once(notes, e.Rates, "rate")
	if notes.Sound(&e.Clients, &e.Threads) && slices.Min(e.Threads) > slices.Max(e.Clients) {
		notes.Add(first(notes.Places[&e.Threads], notes.Places[&e.Clients]), "give fewer threads: pairs with more threads than clients are skipped",
			"threads: all values are at least %d, but there are at most %s", slices.Min(e.Threads), unit.Count(slices.Max(e.Clients), "client"))
	}
}

// once notes duplicate entries of a list: they would be the same cell.
func once[T comparable](notes *mistake.Notes, list []T, key string) {
	for i := range list {
		if notes.Sound(&list[i]) && slices.Contains(list[:i], list[i]) {
			notes.Add(notes.Places[&list[i]], "", "%s: %v is in the list twice", key, list[i])
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

// MaxRuns is the maximum number of runs: more are probably a slip, and a record with all of them
// could not be read (the limits in internal/record).
const MaxRuns = 5_000

func size(notes *mistake.Notes, e *experiment.Experiment) {
	if !notes.Sound(&e.Clients, &e.Threads, &e.Rates, &e.Workloads, &e.Environments, &e.Repeats) {
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
	if runs > MaxRuns {
		notes.Add(nil, "lower repeats, or list fewer values of clients, threads or rates", "%.0f runs, more than the maximum of %d", runs, MaxRuns)
	}
}

// hasControl reports whether a text contains a line break or another control character.
func hasControl(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f })
}
