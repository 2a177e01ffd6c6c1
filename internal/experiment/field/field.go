// Package field lists the keys of an experiment file, with their names, defaults and limits,
// and the engines to which they apply. It reads them from the struct tags of package experiment.
package field

import (
	"reflect"
	"strings"

	"plinth/internal/experiment"
)

// Key is one key of the file, as the tags of its struct describe it.
type Key struct {
	Name, Doc string
	Default   string // in the syntax of the file; "" for none
	Min, Max  string // inclusive, in the syntax of the file; "" for no limit
	Enum      []string
	Engine    string // the only engine that has it; "" for all
	Index     []int
	Type      reflect.Type
}

// Of returns the keys of a struct in order, including those of embedded structs.
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

// Named returns the key with a name, and whether it exists.
func Named(fields []Key, key string) (Key, bool) {
	for _, f := range fields {
		if f.Name == key {
			return f, true
		}
	}
	return Key{}, false
}

// In reports whether an engine has the key; "" means all engines.
func (f Key) In(engine string) bool { return f.Engine == "" || engine == "" || f.Engine == engine }

// About returns the description of a key, including the only engine that has it.
func (f Key) About() string {
	if f.Engine == "" {
		return f.Doc
	}
	return f.Doc + " " + experiment.EngineName(f.Engine) + " only."
}

// Names returns the names of keys.
func Names(fields []Key) []string {
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.Name
	}
	return keys
}

// Homes returns the sections that have a key: "dataset" for scale. It is for the hint about a valid key
// in the wrong section.
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

// Section returns the struct type of a key's value, or of the entries of its list; nil if it has none.
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
		return nil // a scalar, or keys that this package does not define
	}
	if t.Kind() == reflect.Struct {
		return t
	}
	return nil
}

// WorkloadForm is a workload as written in a file: with a single script, the keys of the script can be
// given next to the name.
type WorkloadForm struct {
	*experiment.Workload
	Builtin string `yaml:"builtin" doc:"Short form of scripts with a single script of this kind."`
	File    string `yaml:"file" engine:"postgres" doc:"Short form of scripts with a single script of this kind."`
	SQL     string `yaml:"sql" engine:"postgres" doc:"Short form of scripts with a single script of this kind."`
}

// MaxList is the maximum number of entries of a list.
const MaxList = 1000
