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

// wholeRule is one thing that holds for an experiment whatever its runs show.
type wholeRule struct {
	name   string
	hint   string
	engine string // the only engine that it concerns; empty: each
	check  func(whole) string
}

var wholeRules = []wholeRule{
	{name: "dataset-in-buffers", hint: "a larger dataset.scale, or smaller shared_buffers", engine: "postgres", check: datasetInBuffers},
	{name: "one-load", hint: "dataset: {reload: repeat} draws it anew", engine: "postgres", check: oneLoad},
	{name: "telemetry-differs", hint: "telemetry: on in all environments, or off in all", check: telemetryDiffers},
}

// Whole says what holds for an experiment as a whole, before any run: known from
// its file and from the environments as described. That a scale is below the
// number of clients is said when the file is loaded, where it has a line.
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

// datasetInBuffers: where environments differ in storage, reads that never reach
// it say nothing about it.
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
	return "the dataset fits into shared_buffers (" + strings.Join(inside, ", ") + "): reads do not reach the storage that is compared"
}

func storageDiffers(environments []experiment.Environment) bool {
	return slices.ContainsFunc(environments, func(e experiment.Environment) bool {
		return !reflect.DeepEqual(e.Storage, environments[0].Storage) || e.Connect != environments[0].Connect
	})
}

// oneLoad: where rows lie on the disk and in memory is drawn once by a load, and
// every block of an environment shares the draw. The figure is how often a test at
// 5 % finds a difference of 1 % in 78 blocks whose pairs vary by 7 %; a test
// computes it.
func oneLoad(w whole) string {
	e := w.experiment
	again := e.Dataset.Reload == "repeat" || e.Reset == "reload"
	if len(e.Environments) < 2 || again || !loads(e) {
		return ""
	}
	return "each environment has one load of the dataset, whose luck all its blocks share: " +
		"two loads that differ by 1 % are called different in 23 % of trials at 78 blocks"
}

// telemetryDiffers: what reading costs is then part of each difference. Where nothing
// else differs it is what is compared.
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
	return fmt.Sprintf("telemetry is on in %s and off in %s: what it costs is part of the difference", strings.Join(on, ", "), strings.Join(off, ", "))
}

// unobserved is an environment but for its name and its telemetry.
func unobserved(env experiment.Environment) experiment.Environment {
	env.Name, env.Telemetry = "", ""
	return env
}

// loads says whether an experiment loads anything.
func loads(e *experiment.Experiment) bool {
	return e.Dataset.Scale > 0 || slices.ContainsFunc(e.Workloads, func(w experiment.Workload) bool {
		return w.Init != (experiment.Init{})
	})
}
