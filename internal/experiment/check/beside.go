package check

import (
	"slices"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/experiment/mistake"
	"plinth/internal/hint"
	"plinth/internal/strictyaml"
	"plinth/internal/unit"
)

// beside checks what runs alongside the load, and what involves several volumes.
func beside(notes *mistake.Notes, e *experiment.Experiment) {
	rates(notes, e)
	events(notes, e)
	durability(notes, e)
	replicas(notes, e)
	for i := range e.Environments {
		env := &e.Environments[i]
		if env.Existing() || !notes.Sound(env) {
			continue
		}
		where := "environments." + strictyaml.Bare(env.Name)
		pressure(notes, env, where)
		space(notes, &e.Dataset.Tablespace, "tablespace", env)
		space(notes, &e.Dataset.IndexSpace, "index_tablespace", env)
		temporary(notes, &e.Settings, "settings", env)
		temporary(notes, &env.Settings, where+".settings", env)
	}
}

func rates(notes *mistake.Notes, e *experiment.Experiment) {
	text := e.EmulatedRates
	if text == "" || text == "full" || text == "fit" || !notes.Sound(&e.EmulatedRates) {
		return
	}
	if share, err := unit.ParseShare(text); err != nil || share == 0 {
		notes.Add(notes.Places[&e.EmulatedRates], hint.DidYouMean(text, []string{"full", "fit"}, "it can be full, fit, or a share such as 25%"),
			"emulated_rates: unknown value %s", strictyaml.Quote(text))
	}
}

func pressure(notes *mistake.Notes, env *experiment.Environment, where string) {
	p := &env.Pressure
	if *p == (experiment.Pressure{}) && notes.Places[p] == nil || !notes.Sound(p) {
		return
	}
	var names []string
	for _, part := range env.Storage.Parts() {
		names = append(names, part.Name)
	}
	if *p == (experiment.Pressure{Volume: p.Volume}) {
		notes.Add(notes.Places[p], "add one, such as write: 50MiB/s, read: 50MiB/s, memory: 80% or cpu: 2", "%s.pressure: no background load is given", where)
		return
	}
	misplaced(notes, &p.Volume, p.Write > 0 || p.Read > 0, "add write or read, such as write: 50MiB/s, or leave volume out", where+".pressure", "volume has no effect without write or read")
	if p.Volume != "" && !slices.Contains(names, p.Volume) && notes.Sound(&env.Storage) {
		notes.Add(notes.Places[&p.Volume], hint.DidYouMean(p.Volume, names, "it can be "+hint.Choice(names)),
			"%s.pressure: there is no volume %s in this environment", where, strictyaml.Quote(p.Volume))
	}
}

// space checks that an environment has a tablespace that the dataset uses.
func space(notes *mistake.Notes, name *string, key string, env *experiment.Environment) {
	if *name == "" || *name == "pg_default" || !notes.Sound(name, &env.Storage) {
		return
	}
	names := []string{"pg_default"}
	for _, t := range env.Storage.Tablespaces {
		names = append(names, t.Name)
	}
	if !slices.Contains(names, *name) {
		notes.Add(notes.Places[name], hint.DidYouMean(*name, names, "add it to storage.tablespaces of this environment: every environment needs it"),
			"dataset.%s: environment %s has no tablespace %s", key, strictyaml.Bare(env.Name), strictyaml.Quote(*name))
	}
}

// temporary notes temp_tablespaces in settings, because storage.temp sets it.
func temporary(notes *mistake.Notes, settings *map[string]string, where string, env *experiment.Environment) {
	for name := range *settings {
		if strings.EqualFold(name, "temp_tablespaces") && env.Storage.Temp.Given() {
			notes.Add(notes.Places[mistake.Setting{Of: settings, Name: name}], "leave out one of the two",
				"%s: storage.temp of %s already sets temp_tablespaces", where, strictyaml.Bare(env.Name))
		}
	}
}
