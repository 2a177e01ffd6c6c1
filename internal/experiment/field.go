package experiment

import (
	"reflect"
	"strings"
)

// field is one key of the file, as the tags of its struct describe it.
type field struct {
	key, doc string
	fallback string // the default, as it would be written; "" for none
	min, max string // inclusive, as they would be written; "" for no limit
	enum     []string
	engine   string // the only engine that has it; "" for all
	index    []int
	typ      reflect.Type
}

// fieldsOf is the keys of a struct in their order. Those of an embedded struct
// are the struct's own.
func fieldsOf(t reflect.Type) []field {
	var fields []field
	for i := range t.NumField() {
		sf := t.Field(i)
		if sf.Anonymous {
			embedded := sf.Type
			if embedded.Kind() == reflect.Pointer {
				embedded = embedded.Elem()
			}
			for _, f := range fieldsOf(embedded) {
				f.index = append([]int{i}, f.index...)
				fields = append(fields, f)
			}
			continue
		}
		key := sf.Tag.Get("yaml")
		if key == "" || key == "-" {
			continue
		}
		f := field{
			key: key, doc: sf.Tag.Get("doc"), fallback: sf.Tag.Get("default"),
			engine: sf.Tag.Get("engine"),
			min:    sf.Tag.Get("min"), max: sf.Tag.Get("max"), index: sf.Index, typ: sf.Type,
		}
		if words := sf.Tag.Get("enum"); words != "" {
			f.enum = strings.Split(words, ",")
		}
		fields = append(fields, f)
	}
	return fields
}

func fieldNamed(fields []field, key string) (field, bool) {
	for _, f := range fields {
		if f.key == key {
			return f, true
		}
	}
	return field{}, false
}

// of says whether an engine has the key; "" stands for all engines.
func (f field) of(engine string) bool { return f.engine == "" || engine == "" || f.engine == engine }

// about is the description of a key, and which engine alone has it.
func (f field) about() string {
	if f.engine == "" {
		return f.doc
	}
	return f.doc + " " + EngineName(f.engine) + " only."
}

func keysOf(fields []field) []string {
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.key
	}
	return keys
}

// homes is the places in which a key is known: "dataset" for scale. It is for
// the hint to one who wrote a good key in the wrong place.
func homes(key string) []string {
	var found []string
	var search func(t reflect.Type, where string)
	search = func(t reflect.Type, where string) {
		for _, f := range fieldsOf(t) {
			if f.key == key {
				found = append(found, where)
			}
			if section := structOf(f.typ); section != nil {
				search(section, strings.TrimPrefix(where+"."+f.key, "experiment."))
			}
		}
	}
	search(reflect.TypeFor[Experiment](), "experiment")
	return found
}

// structOf is the struct that a key's value is, or is a list of, or nil.
func structOf(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	switch t {
	case reflect.TypeFor[Workload]():
		t = reflect.TypeFor[workloadForm]()
	case reflect.TypeFor[Tablespace]():
		t = reflect.TypeFor[Volume]()
	case reflect.TypeFor[Tuning]():
		return nil // a word, or keys that are not ours
	}
	if t.Kind() == reflect.Struct {
		return t
	}
	return nil
}

// workloadForm is a workload as it may be written: with one script alone, the
// keys of the script may stand beside the name.
type workloadForm struct {
	*Workload
	Builtin string `yaml:"builtin" doc:"Short for scripts: with this one alone."`
	File    string `yaml:"file" engine:"postgres" doc:"Short for scripts: with this one alone."`
	SQL     string `yaml:"sql" engine:"postgres" doc:"Short for scripts: with this one alone."`
}

const (
	maxFile = 1 << 20 // bytes of an experiment file, and of a script
	maxList = 1000    // entries of a list
)
