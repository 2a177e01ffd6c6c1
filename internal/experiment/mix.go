package experiment

import (
	"reflect"
	"strconv"

	"go.yaml.in/yaml/v3"
)

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
