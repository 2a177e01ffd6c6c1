package experiment

import (
	"reflect"
	"strconv"

	"go.yaml.in/yaml/v3"

	"plinth/internal/hint"
	"plinth/internal/strictyaml"
)

// workloadForm is a workload as it may be written: with one script alone, the
// keys of the script may stand beside the name.
type workloadForm struct {
	*Workload
	Builtin string `yaml:"builtin" doc:"Short for scripts: with this one alone."`
	File    string `yaml:"file" engine:"postgres" doc:"Short for scripts: with this one alone."`
	SQL     string `yaml:"sql" engine:"postgres" doc:"Short for scripts: with this one alone."`
}

func builtinWorkload(name string) Workload {
	return Workload{Name: name, Scripts: []Script{{Name: name, Builtin: name, Weight: 1}}}
}

func (d *decoder) workload(n *yaml.Node, into *Workload, where string) bool {
	if n.Kind == yaml.ScalarNode && !strictyaml.IsNull(n) {
		return d.workloadName(n, into)
	}
	if n.Kind != yaml.MappingNode {
		d.add(n, "", "%s: expected a name or keys and values, found %s", where, describe(n))
		return false
	}
	if d.engine == EngineRedis {
		return d.mix(n, into, where)
	}
	form := &workloadForm{Workload: into}
	ok := d.section(n, reflect.ValueOf(form).Elem(), where)
	single := Script{Builtin: form.Builtin, File: form.File, SQL: form.SQL, Weight: 1}
	if single == (Script{Weight: 1}) {
		return ok
	}
	if d.places[&into.Scripts] != nil {
		d.add(d.places[&into.Scripts], "", "%s: scripts, and a script beside it: give one of the two", where)
		return false
	}
	into.Scripts = []Script{single}
	script := &into.Scripts[0]
	for from, to := range map[any]any{&form.Builtin: &script.Builtin, &form.File: &script.File, &form.SQL: &script.SQL} {
		d.places[to], d.broken[to] = d.places[from], d.broken[from]
	}
	d.places[script] = n
	return ok
}

func (d *decoder) workloadName(n *yaml.Node, into *Workload) bool {
	known := driven[d.engine]
	for _, name := range known {
		if n.Value == name {
			*into = builtinWorkload(name)
			d.places[&into.Name] = n
			return true
		}
	}
	other := "pgbench has " + listing(known) + "; a script of your own is {name: orders, file: orders.sql}"
	if d.engine == EngineRedis {
		other = "there is " + listing(known) + "; a mix is {name: cache, set: 1, get: 10}"
	}
	d.add(n, hint.DidYouMean(n.Value, known, other), "unknown workload %s", strictyaml.Quote(n.Value))
	return false
}

// init reads the SQL that makes tables. One word is the name of a file, because
// SQL is rarely one word, and never short enough to want a shorter form.
func (d *decoder) init(n *yaml.Node, into *Init, where string) bool {
	if n.Kind == yaml.ScalarNode && !strictyaml.IsNull(n) {
		into.File = n.Value
		d.places[&into.File] = n
		return true
	}
	return d.section(n, reflect.ValueOf(into).Elem(), where)
}

// environments reads a mapping of names to environments in its order. An
// environment with nothing in it has the defaults.
func (d *decoder) environments(n *yaml.Node, into *[]Environment, where string) bool {
	if strictyaml.IsNull(n) {
		return true
	}
	if n.Kind != yaml.MappingNode {
		d.add(n, "write name: {storage: {data: /directory}} for each, or name: {}",
			"%s: expected names and environments, found %s", where, describe(n))
		return false
	}
	if len(n.Content)/2 > maxList {
		d.add(n, "", "%s: %d of them, which is more than %d", where, len(n.Content)/2, maxList)
		return false
	}
	ok := true
	*into = make([]Environment, 0, len(n.Content)/2) // pointers into it are kept
	for key, value := range d.entries(n, where, &ok) {
		*into = append(*into, Environment{Name: key.Value})
		e := &(*into)[len(*into)-1]
		d.places[&e.Name] = key
		if value.Kind == yaml.ScalarNode && !strictyaml.IsNull(value) {
			d.add(value, "write {storage: {data: /directory}}, or {connect: postgresql://user@host/database, disposable: true}",
				"%s: expected an environment's keys and values, found %s", join(where, strictyaml.Bare(key.Value)), describe(value))
			ok, d.broken[e] = false, true
			continue
		}
		ok = d.value(value, reflect.ValueOf(e).Elem(), field{}, join(where, strictyaml.Bare(key.Value))) && ok
	}
	return ok
}

// mix reads a workload of Redis: {set: 1, get: 10}, with a name: or without; or the
// scripts of one as a record has them.
func (d *decoder) mix(n *yaml.Node, into *Workload, where string) bool {
	rest := &yaml.Node{Kind: yaml.MappingNode, Line: n.Line, Column: n.Column}
	ok := true
	var scripts []Script
	var places []*yaml.Node
	for key, value := range d.entries(n, where, &ok) {
		if tests, _ := testWeights([]string{key.Value}); tests == nil {
			rest.Content = append(rest.Content, key, value)
			continue
		}
		weight, err := strconv.Atoi(value.Value)
		if err != nil || weight < 1 || value.Kind != yaml.ScalarNode {
			d.add(value, "write {set: 1, get: 10}: ten reads for each write", "%s: expected a weight of 1 or more, found %s", join(where, key.Value), describe(value))
			ok = false
			continue
		}
		scripts = append(scripts, Script{Name: key.Value, Builtin: key.Value, Weight: weight})
		places = append(places, key)
	}
	ok = d.section(rest, reflect.ValueOf(into).Elem(), where) && ok
	if scripts == nil {
		return ok
	}
	if d.places[&into.Scripts] != nil {
		d.add(d.places[&into.Scripts], "", "%s: scripts, and tests beside them: give one of the two", where)
		return false
	}
	into.Scripts = scripts
	for i, place := range places {
		d.places[&into.Scripts[i]] = place
	}
	if len(scripts) == 1 {
		into.Scripts[0].Weight = 1
	}
	if into.Name == "" && len(scripts) > 1 {
		into.Name = mixName(scripts)
	}
	return ok
}
