// Package field reads the keys of an experiment file from the tags of its structs: what
// they are called, their defaults and limits, and which engine has them.
package field

import (
	"reflect"
	"strings"

	"plinth/internal/experiment"
)

// Key is one key of the file, as the tags of its struct describe it.
type Key struct {
	Name, Doc string
	Default   string // the default, as it would be written; "" for none
	Min, Max  string // inclusive, as they would be written; "" for no limit
	Enum      []string
	Engine    string // the only engine that has it; "" for all
	Index     []int
	Type      reflect.Type
}

// Of is the keys of a struct in their order. Those of an embedded struct
// are the struct's own.
func Of(t reflect.Type) []Key {
	var fields []Key
	for i := range t.NumField() {
		sf := t.Field(i)
		if sf.Anonymous {
			embedded := sf.Type
			if embedded.Kind() == reflect.Pointer {
				embedded = embedded.Elem()
			}
			for _, f := range Of(embedded) {
				f.Index = append([]int{i}, f.Index...)
				fields = append(fields, f)
			}
			continue
		}
		key := sf.Tag.Get("yaml")
		if key == "" || key == "-" {
			continue
		}
		f := Key{
			Name: key, Doc: sf.Tag.Get("doc"), Default: sf.Tag.Get("default"),
			Engine: sf.Tag.Get("engine"),
			Min:    sf.Tag.Get("min"), Max: sf.Tag.Get("max"), Index: sf.Index, Type: sf.Type,
		}
		if words := sf.Tag.Get("enum"); words != "" {
			f.Enum = strings.Split(words, ",")
		}
		fields = append(fields, f)
	}
	return fields
}

// Named is the key of a name.
func Named(fields []Key, key string) (Key, bool) {
	for _, f := range fields {
		if f.Name == key {
			return f, true
		}
	}
	return Key{}, false
}

// In says whether an engine has the key; "" stands for all engines.
func (f Key) In(engine string) bool { return f.Engine == "" || engine == "" || f.Engine == engine }

// About is the description of a key, and which engine alone has it.
func (f Key) About() string {
	if f.Engine == "" {
		return f.Doc
	}
	return f.Doc + " " + experiment.EngineName(f.Engine) + " only."
}

// Names are the names of keys.
func Names(fields []Key) []string {
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.Name
	}
	return keys
}

// Homes is the places in which a key is known: "dataset" for scale. It is for
// the hint to one who wrote a good key in the wrong place.
func Homes(key string) []string {
	var found []string
	var search func(t reflect.Type, where string)
	search = func(t reflect.Type, where string) {
		for _, f := range Of(t) {
			if f.Name == key {
				found = append(found, where)
			}
			if section := Section(f.Type); section != nil {
				search(section, strings.TrimPrefix(where+"."+f.Name, "experiment."))
			}
		}
	}
	search(reflect.TypeFor[experiment.Experiment](), "experiment")
	return found
}

// Section is the struct that a key's value is, or is a list of, or nil.
func Section(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	switch t {
	case reflect.TypeFor[experiment.Workload]():
		t = reflect.TypeFor[WorkloadForm]()
	case reflect.TypeFor[experiment.Tablespace]():
		t = reflect.TypeFor[experiment.Volume]()
	case reflect.TypeFor[experiment.Tuning]():
		return nil // a word, or keys that are not ours
	}
	if t.Kind() == reflect.Struct {
		return t
	}
	return nil
}

// WorkloadForm is a workload as it may be written: with one script alone, the
// keys of the script may stand beside the name.
type WorkloadForm struct {
	*experiment.Workload
	Builtin string `yaml:"builtin" doc:"Short for scripts: with this one alone."`
	File    string `yaml:"file" engine:"postgres" doc:"Short for scripts: with this one alone."`
	SQL     string `yaml:"sql" engine:"postgres" doc:"Short for scripts: with this one alone."`
}

// MaxList is how many entries a list has at most.
const MaxList = 1000
