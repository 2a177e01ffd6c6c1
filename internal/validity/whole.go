package validity

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/record"
	"plinth/internal/unit"
)

// whole is an experiment before its first run.
type whole struct {
	experiment   *experiment.Experiment
	environments map[string]record.Environment
}

// wholeRule is a check of an experiment that does not depend on its runs.
type wholeRule struct {
	name   string
	hint   string
	engine string // the only engine that it applies to; empty: all
	check  func(whole) string
}

var wholeRules = []wholeRule{
	{name: "dataset-in-buffers", hint: "use a larger dataset.scale or smaller shared_buffers", engine: "postgres", check: datasetInBuffers},
	{name: "one-load", hint: "use dataset: {reload: repeat}", engine: "postgres", check: oneLoad},
	{name: "telemetry-differs", hint: "set telemetry on in all environments, or off in all", check: telemetryDiffers},
}

// Whole returns notes about what weakens an experiment as a whole. It needs no runs, only the
// experiment and the descriptions of its environments. It has no rule for a scale below the number
// of clients, because loading the experiment file reports that mistake with its line.
func Whole(e *experiment.Experiment, environments map[string]record.Environment) []record.Note {
	var notes []record.Note
	for _, r := range wholeRules {
		if !isOf(r.engine, e) {
			continue
		}
		if text := r.check(whole{e, environments}); text != "" {
			notes = append(notes, record.Note{Rule: r.name, Text: text, Hint: r.hint})
		}
	}
	return notes
}

// datasetInBuffers reports datasets that fit into shared_buffers where environments differ
// in storage: reads that never reach the storage cannot measure it.
func datasetInBuffers(w whole) string {
	if !storageDiffers(w.experiment.Environments) {
		return ""
	}
	var inside []string
	for _, env := range w.experiment.Environments {
		d := w.environments[env.Name].Dataset
		if d.Bytes > 0 && d.Bytes < d.SharedBuffers {
			inside = append(inside, fmt.Sprintf("%s of %s in %s", unit.Size(d.Bytes), unit.Size(d.SharedBuffers), env.Name))
		}
	}
	if inside == nil {
		return ""
	}
	return "the dataset fits into shared_buffers (" + strings.Join(inside, ", ") + "): reads do not reach the storage under comparison"
}

func storageDiffers(environments []experiment.Environment) bool {
	return slices.ContainsFunc(environments, func(e experiment.Environment) bool {
		return !reflect.DeepEqual(e.Storage, environments[0].Storage) || e.Connect != environments[0].Connect
	})
}

// oneLoad reports a dataset that is loaded only once. A load determines by chance where rows
// lie on disk and in memory, and all blocks of an environment share that placement. The
// figure in the text is how often a test at 5 % finds a difference of 1 % in 78 blocks whose
// pairs vary by 7 %; a test computes it.
func oneLoad(w whole) string {
	e := w.experiment
	again := e.Dataset.Reload == "repeat" || e.Reset == "reload"
	if len(e.WithOwnData()) < 2 || again || !loads(e) {
		return ""
	}
	return "the dataset is loaded once per environment, and all its blocks share the row placement of that load: " +
		"with 78 blocks, a difference of 1 % between two loads is mistaken for an effect in 23 % of experiments"
}

// telemetryDiffers reports environments of which only some have telemetry: its cost is then
// part of each difference. Where nothing else differs, that cost is the comparison.
func telemetryDiffers(w whole) string {
	var on, off []string
	alike := true
	for _, env := range w.experiment.Environments {
		if w.experiment.TelemetryOf(env) == "off" {
			off = append(off, env.Name)
		} else {
			on = append(on, env.Name)
		}
		alike = alike && reflect.DeepEqual(unobserved(env), unobserved(w.experiment.Environments[0]))
	}
	if on == nil || off == nil || alike {
		return ""
	}
	return fmt.Sprintf("telemetry is on in %s and off in %s: its cost is part of the difference", strings.Join(on, ", "), strings.Join(off, ", "))
}

// unobserved returns an environment without its name and its telemetry.
func unobserved(env experiment.Environment) experiment.Environment {
	env.Name, env.Telemetry = "", ""
	return env
}

// loads reports whether an experiment loads any data.
func loads(e *experiment.Experiment) bool {
	return e.Dataset.Scale > 0 || slices.ContainsFunc(e.Workloads, func(w experiment.Workload) bool {
		return w.Init != (experiment.Init{})
	})
}
