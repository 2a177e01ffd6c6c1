package decode

import (
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/experiment/field"
	"plinth/internal/experiment/mistake"
	"plinth/internal/hint"
	"plinth/internal/strictyaml"
)

// decoder fills Go values from a tree. It continues after a mistake.
type decoder struct {
	*source
	engine   string // the file's engine
	imported bool   // the file is of an imported record
}

func newDecoder(s *source) *decoder {
	return &decoder{source: s, engine: s.engine(), imported: s.imported()}
}

// value fills v, the value of the key f, from n, and reports whether it succeeds.
func (d *decoder) value(n *yaml.Node, v reflect.Value, f field.Key, where string) bool {
	pointer := v.Addr().Interface()
	d.Places[pointer] = n
	ok := d.fill(n, v, f, where)
	if !ok {
		d.Broken[pointer] = true
	}
	return ok
}

func (d *decoder) fill(n *yaml.Node, v reflect.Value, f field.Key, where string) bool {
	switch into := v.Addr().Interface().(type) {
	case *[]experiment.Environment:
		return d.environments(n, into, where)
	case *experiment.Workload:
		return d.workload(n, into, where)
	case *experiment.Durability:
		return d.durability(n, into, where)
	case *experiment.Init:
		return d.init(n, into, where)
	case *experiment.Volume, *experiment.Disk, *experiment.Emulation, *experiment.CPUCredits, *experiment.At:
		return d.shortForm(n, into, where)
	case *[]experiment.Tablespace:
		return d.tablespaces(n, into, where)
	case *experiment.Tuning:
		return d.tuning(n, into, where)
	case **device.Device:
		return d.model(n, into, where)
	case *map[string]string:
		return d.words(n, into, where)
	}
	if ok, known := d.quantity(n, v.Addr().Interface(), f, where); known {
		return ok
	}
	switch v.Kind() {
	case reflect.Slice:
		return d.list(n, v, f, where)
	case reflect.Struct:
		field.SetDefaults(v, d.engine)
		return d.section(n, v, where)
	}
	return d.scalar(n, v, f, where)
}

// section fills a struct from a mapping. An empty section is valid: all its keys are absent.
func (d *decoder) section(n *yaml.Node, v reflect.Value, where string) bool {
	if strictyaml.IsNull(n) {
		return true
	}
	if n.Kind != yaml.MappingNode {
		d.Add(n, "", "%s: expected keys and values, found %s", where, describe(n))
		return false
	}
	fields := field.Of(v.Type())
	ok := true
	for key, value := range d.entries(n, where, &ok) {
		f, known := field.Named(fields, key.Value)
		if !known {
			d.unknownKey(key, v, fields, where)
			ok = false
			continue
		}
		if !f.In(d.engine) {
			d.Add(key, "leave it out, or set engine: "+f.Engine, "%s: %s does not support it", join(where, f.Name), experiment.EngineName(d.engine))
			d.Broken[v.FieldByIndex(f.Index).Addr().Interface()], ok = true, false
			continue
		}
		ok = d.value(value, v.FieldByIndex(f.Index), f, join(where, f.Name)) && ok
	}
	return ok
}

// entries iterates over the keys and values of a mapping. It skips invalid and duplicate keys and sets
// ok to false for them.
func (d *decoder) entries(n *yaml.Node, where string, ok *bool) func(yield func(k, v *yaml.Node) bool) {
	return func(yield func(k, v *yaml.Node) bool) {
		for e := range strictyaml.Entries(n) {
			key := e.Key
			if key.Kind != yaml.ScalarNode || strictyaml.IsNull(key) || key.Value == "" {
				d.Add(key, "", "expected a key in %s, found %s", where, describe(key))
				*ok = false
				continue
			}
			if e.First != nil {
				d.Add(key, "", "duplicate key %s in %s (first on line %d)", strictyaml.Quote(key.Value), where, e.First.Line)
				*ok = false
				continue
			}
			if key.Tag != "!!merge" && !yield(key, e.Value) {
				return
			}
		}
	}
}

// unknownKey notes an unknown key. It marks the closest known key as broken, so that it does not also
// count as missing.
func (d *decoder) unknownKey(key *yaml.Node, v reflect.Value, fields []field.Key, where string) {
	name := hint.Nearest(key.Value, field.Names(fields))
	hint := "known here: " + strings.Join(field.Names(fields), ", ")
	switch places := field.Homes(key.Value); {
	case name != "":
		hint = "did you mean " + name + "?"
		meant, _ := field.Named(fields, name)
		d.Broken[v.FieldByIndex(meant.Index).Addr().Interface()] = true
	case len(places) > 0:
		hint = key.Value + " belongs in " + places[0]
	case strings.ContainsAny(key.Value, " ();'"):
		hint = "put text that contains a comma or a colon in quotes"
	case where == "experiment":
		hint = "plinth schema prints all keys"
	}
	d.Add(key, hint, "unknown key %s in %s", strictyaml.Quote(key.Value), where)
}

// list fills a slice. A single value counts as a list of one.
func (d *decoder) list(n *yaml.Node, v reflect.Value, f field.Key, where string) bool {
	items := n.Content
	if n.Kind != yaml.SequenceNode && !strictyaml.IsNull(n) {
		items = []*yaml.Node{n}
	}
	switch {
	case strictyaml.IsNull(n):
		d.Add(n, "give it a value, or leave the key out", "%s: expected a list, found nothing", where)
		return false
	case len(items) == 0:
		d.Add(n, "", "%s: the list is empty", where)
		return false
	case len(items) > field.MaxList:
		d.Add(n, "", "%s: a list of %d entries, more than the maximum of %d", where, len(items), field.MaxList)
		return false
	}
	ok := true
	v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
	for i, item := range items {
		ok = d.value(item, v.Index(i), f, where) && ok
	}
	return ok
}

// words fills a map whose values are used as written.
func (d *decoder) words(n *yaml.Node, into *map[string]string, where string) bool {
	if strictyaml.IsNull(n) {
		return true
	}
	if n.Kind != yaml.MappingNode {
		d.Add(n, "", "%s: expected names and values, found %s", where, describe(n))
		return false
	}
	ok := true
	for key, value := range d.entries(n, where, &ok) {
		if value.Kind != yaml.ScalarNode || strictyaml.IsNull(value) && value.Value != "" {
			d.Add(value, "", "%s: expected one word or number, found %s", join(where, strictyaml.Bare(key.Value)), describe(value))
			ok = false
			continue
		}
		if strictyaml.IsNull(value) {
			d.Add(value, "for the empty value, write ''", "%s: expected a value, found nothing", join(where, strictyaml.Bare(key.Value)))
			ok = false
			continue
		}
		if *into == nil {
			*into = map[string]string{}
		}
		(*into)[key.Value] = value.Value
		d.Places[mistake.Setting{Of: into, Name: key.Value}] = key
	}
	return ok
}

func join(where, key string) string {
	if where == "experiment" {
		return key
	}
	return where + "." + key
}
