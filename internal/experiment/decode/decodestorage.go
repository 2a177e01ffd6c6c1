package decode

import (
	"reflect"
	"regexp"

	"go.yaml.in/yaml/v3"

	"plinth/internal/device"
	"plinth/internal/experiment"
	"plinth/internal/experiment/field"
	"plinth/internal/hint"
	"plinth/internal/strictyaml"
)

// oneWord reports whether a section is written in its short form: a scalar, which is the value of one
// of its keys.
func oneWord(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && !strictyaml.IsNull(n) }

// shortForm fills a section that has a short form.
func (d *decoder) shortForm(n *yaml.Node, section any, where string) bool {
	switch into := section.(type) {
	case *experiment.Volume:
		return d.short(n, into, &into.Directory, "a directory", where)
	case *experiment.Disk:
		return d.short(n, into, &into.Device, "a device", where)
	case *experiment.Emulation:
		return d.short(n, into, &into.Name, "the name of a device", where)
	case *experiment.CPUCredits:
		return d.short(n, into, &into.Instance, "the name of an instance", where)
	case *experiment.At:
		return d.short(n, into, &into.SSH, "an address", where)
	}
	return false // cannot happen: fill lists the same types
}

// short reads a section in its short form, as the value of word, or with keys. An empty section is a
// mistake: it would declare a place without defining it.
func (d *decoder) short(n *yaml.Node, into any, word *string, what, where string) bool {
	switch {
	case oneWord(n):
		return d.value(n, reflect.ValueOf(word).Elem(), field.Key{}, where)
	case strictyaml.IsNull(n):
		d.Add(n, "give it a value, or leave the key out", "%s: expected %s or keys, found nothing", where, what)
		return false
	}
	return d.section(n, reflect.ValueOf(into).Elem(), where)
}

// tablespaces reads a mapping of names to volumes, in the order of the file.
func (d *decoder) tablespaces(n *yaml.Node, into *[]experiment.Tablespace, where string) bool {
	if strictyaml.IsNull(n) {
		return true
	}
	if n.Kind != yaml.MappingNode {
		d.Add(n, "write each volume as NAME: /directory or NAME: {emulate: gp3}", "%s: expected names and volumes, found %s", where, describe(n))
		return false
	}
	if len(n.Content)/2 > field.MaxList {
		d.Add(n, "", "%s: %d entries, more than the maximum of %d", where, len(n.Content)/2, field.MaxList)
		return false
	}
	ok := true
	*into = make([]experiment.Tablespace, 0, len(n.Content)/2) // full capacity, because d.Places holds pointers into it
	for key, value := range d.entries(n, where, &ok) {
		*into = append(*into, experiment.Tablespace{Name: key.Value})
		t := &(*into)[len(*into)-1]
		d.Places[&t.Name] = key
		ok = d.value(value, reflect.ValueOf(&t.Volume).Elem(), field.Key{}, join(where, strictyaml.Bare(key.Value))) && ok
	}
	if len(*into) == 0 {
		*into = nil
	}
	return ok
}

var lineOf = regexp.MustCompile(`^line [0-9]+: `)

// model reads an inline model, as in a record. It has the keys of a model file, so device.ReadFile
// reads it.
func (d *decoder) model(n *yaml.Node, into **device.Device, where string) bool {
	if n.Kind != yaml.MappingNode {
		d.Add(n, "", "%s: expected the keys of a model file, found %s", where, describe(n))
		return false
	}
	text, err := yaml.Marshal(n)
	if err != nil {
		d.Add(n, "", "%s: %v", where, err)
		return false
	}
	model, err := device.ReadFile(text)
	if err != nil {
		// Its line numbers do not refer to this file.
		text := lineOf.ReplaceAllString(err.Error(), "")
		d.Add(n, hint.Of(err), "%s: %s", where, text)
		return false
	}
	*into = &model
	return true
}
