package decode

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/experiment"
	"plinth/internal/experiment/field"
	"plinth/internal/hint"
	"plinth/internal/strictyaml"
)

func (d *decoder) workload(n *yaml.Node, into *experiment.Workload, where string) bool {
	if n.Kind == yaml.ScalarNode && !strictyaml.IsNull(n) {
		return d.workloadName(n, into)
	}
	if n.Kind != yaml.MappingNode {
		d.Add(n, "", "%s: expected a name or keys and values, found %s", where, describe(n))
		return false
	}
	if d.engine == experiment.EngineRedis {
		return d.mix(n, into, where)
	}
	form := &field.WorkloadForm{Workload: into}
	ok := d.section(n, reflect.ValueOf(form).Elem(), where)
	single := experiment.Script{Builtin: form.Builtin, File: form.File, SQL: form.SQL, Weight: 1}
	if single == (experiment.Script{Weight: 1}) {
		return ok
	}
	if d.Places[&into.Scripts] != nil {
		d.Add(d.Places[&into.Scripts], "leave out one of the two", "%s: scripts and a single script are both given", where)
		return false
	}
	into.Scripts = []experiment.Script{single}
	script := &into.Scripts[0]
	for from, to := range map[any]any{&form.Builtin: &script.Builtin, &form.File: &script.File, &form.SQL: &script.SQL} {
		d.Places[to], d.Broken[to] = d.Places[from], d.Broken[from]
	}
	d.Places[script] = n
	return ok
}

func (d *decoder) workloadName(n *yaml.Node, into *experiment.Workload) bool {
	known := experiment.ScriptsOf(d.engine)
	for _, name := range known {
		if n.Value == name {
			*into = experiment.WorkloadOf(name)
			d.Places[&into.Name] = n
			return true
		}
	}
	if d.imported {
		*into = experiment.Workload{Name: n.Value}
		d.Places[&into.Name] = n
		return true
	}
	other := "pgbench has " + strings.Join(known, ", ") + "; write your own script as {name: orders, file: orders.sql}"
	if d.engine == experiment.EngineRedis {
		other = "redis-benchmark has " + strings.Join(known, ", ") + "; write a mix as {name: cache, set: 1, get: 10}"
	}
	d.Add(n, hint.DidYouMean(n.Value, known, other), "unknown workload %s", strictyaml.Quote(n.Value))
	return false
}

// init reads the SQL that creates tables. A scalar is the name of a file, because SQL is rarely short
// enough to need a short form.
func (d *decoder) init(n *yaml.Node, into *experiment.Init, where string) bool {
	if n.Kind == yaml.ScalarNode && !strictyaml.IsNull(n) {
		into.File = n.Value
		d.Places[&into.File] = n
		return true
	}
	return d.section(n, reflect.ValueOf(into).Elem(), where)
}

// environments reads a mapping of names to environments, in the order of the file. An empty
// environment has the defaults.
func (d *decoder) environments(n *yaml.Node, into *[]experiment.Environment, where string) bool {
	if strictyaml.IsNull(n) {
		return true
	}
	if n.Kind != yaml.MappingNode {
		d.Add(n, "write each environment as NAME: {storage: {data: /directory}} or NAME: {}",
			"%s: expected names and environments, found %s", where, describe(n))
		return false
	}
	if len(n.Content)/2 > field.MaxList {
		d.Add(n, "", "%s: %d entries, more than the maximum of %d", where, len(n.Content)/2, field.MaxList)
		return false
	}
	ok := true
	*into = make([]experiment.Environment, 0, len(n.Content)/2) // full capacity, because d.Places holds pointers into it
	for key, value := range d.entries(n, where, &ok) {
		*into = append(*into, experiment.Environment{Name: key.Value})
		e := &(*into)[len(*into)-1]
		d.Places[&e.Name] = key
		if value.Kind == yaml.ScalarNode && !strictyaml.IsNull(value) {
			d.Add(value, "write {storage: {data: /directory}}, or {connect: postgresql://user@host/database, disposable: true}",
				"%s: expected an environment's keys and values, found %s", join(where, strictyaml.Bare(key.Value)), describe(value))
			ok, d.Broken[e] = false, true
			continue
		}
		ok = d.value(value, reflect.ValueOf(e).Elem(), field.Key{}, join(where, strictyaml.Bare(key.Value))) && ok
	}
	return ok
}

// mix reads a Redis workload: {set: 1, get: 10}, with or without name:, or with scripts:, as in a
// record.
func (d *decoder) mix(n *yaml.Node, into *experiment.Workload, where string) bool {
	rest := &yaml.Node{Kind: yaml.MappingNode, Line: n.Line, Column: n.Column}
	ok := true
	var scripts []experiment.Script
	var places []*yaml.Node
	for key, value := range d.entries(n, where, &ok) {
		if !slices.Contains(experiment.ScriptsOf(experiment.EngineRedis), key.Value) {
			rest.Content = append(rest.Content, key, value)
			continue
		}
		weight, err := strconv.Atoi(value.Value)
		if err != nil || weight < 1 || value.Kind != yaml.ScalarNode {
			d.Add(value, "write the weights as in {set: 1, get: 10}, which has ten reads for each write", "%s: expected a weight of 1 or more, found %s", join(where, key.Value), describe(value))
			ok = false
			continue
		}
		scripts = append(scripts, experiment.Script{Name: key.Value, Builtin: key.Value, Weight: weight})
		places = append(places, key)
	}
	ok = d.section(rest, reflect.ValueOf(into).Elem(), where) && ok
	if scripts == nil {
		return ok
	}
	if d.Places[&into.Scripts] != nil {
		d.Add(d.Places[&into.Scripts], "leave out one of the two", "%s: scripts and tests are both given", where)
		return false
	}
	into.Scripts = scripts
	for i, place := range places {
		d.Places[&into.Scripts[i]] = place
	}
	if len(scripts) == 1 {
		into.Scripts[0].Weight = 1
	}
	if into.Name == "" && len(scripts) > 1 {
		into.Name = mixName(scripts)
	}
	return ok
}

// mixName returns the default name of a mix: "set-1-get-10".
func mixName(scripts []experiment.Script) string {
	var parts []string
	for _, s := range scripts {
		parts = append(parts, s.Name, strconv.FormatFloat(float64(s.Weight), 'f', -1, 64))
	}
	return strings.Join(parts, "-")
}

// durability reads the short form, the fault alone, or keys.
func (d *decoder) durability(n *yaml.Node, into *experiment.Durability, where string) bool {
	if !oneWord(n) {
		return d.section(n, reflect.ValueOf(into).Elem(), where)
	}
	f, _ := field.Named(field.Of(reflect.TypeFor[experiment.Durability]()), "fault")
	return d.value(n, reflect.ValueOf(&into.Fault).Elem(), f, where)
}
