package encode

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"plinth/internal/experiment"
	"plinth/internal/experiment/field"
	"plinth/internal/strictyaml"
)

// Differences returns the differences between the experiments of a record and of a file, one text
// each: "duration: 60s in the record, 2s in the file". It ignores passwords, and the seed if either
// was chosen because the file has none.
func Differences(record, file *experiment.Experiment) []string {
	d := &differ{}
	a, b := *record, *file
	if a.SeedChosen || b.SeedChosen {
		a.Seed = b.Seed
	}
	d.sections(reflect.ValueOf(a), reflect.ValueOf(b), "")
	return d.found
}

type differ struct{ found []string }

func (d *differ) sections(a, b reflect.Value, where string) {
	for _, f := range field.Of(a.Type()) {
		d.values(a.FieldByIndex(f.Index), b.FieldByIndex(f.Index), f, strings.TrimPrefix(where+"."+f.Name, "."))
	}
}

func (d *differ) values(a, b reflect.Value, f field.Key, where string) {
	switch x := a.Interface().(type) {
	case []experiment.Environment:
		d.named(byName(x, environmentName), byName(b.Interface().([]experiment.Environment), environmentName), where)
		return
	case []experiment.Workload:
		d.named(byName(x, workloadName), byName(b.Interface().([]experiment.Workload), workloadName), where)
		return
	case []experiment.Script:
		d.named(byName(x, scriptNameOf), byName(b.Interface().([]experiment.Script), scriptNameOf), where)
		return
	case []experiment.Event:
		d.named(byName(x, eventName), byName(b.Interface().([]experiment.Event), eventName), where)
		return
	case []experiment.Tablespace:
		d.named(byTablespace(x), byTablespace(b.Interface().([]experiment.Tablespace)), where)
		return
	case map[string]string:
		d.words(x, b.Interface().(map[string]string), where)
		return
	case experiment.Volume:
		if other := b.Interface().(experiment.Volume); !made(&x) || !made(&other) {
			d.texts(shown(a, f), shown(b, f), where)
			return
		}
	}
	if a.Kind() == reflect.Struct {
		d.sections(a, b, where)
		return
	}
	d.texts(shown(a, f), shown(b, f), where)
}

// made reports whether plinth creates a volume. Two such volumes are compared key by key; others are
// compared as a whole.
func made(v *experiment.Volume) bool { return v.Given() && v.Directory == "" }

// shown returns a value as written in a file, or "" for an absent one.
func shown(v reflect.Value, f field.Key) string {
	if field.Absent(v, f) {
		return ""
	}
	return display(v)
}

func environmentName(e experiment.Environment) string { return e.Name }
func workloadName(w experiment.Workload) string       { return w.Name }
func scriptNameOf(s experiment.Script) string         { return s.Name }
func eventName(e experiment.Event) string             { return e.Name }

// parts is a list of named entries.
type parts struct {
	names  []string
	values map[string]reflect.Value
}

func byName[T any](list []T, name func(T) string) parts {
	p := parts{values: map[string]reflect.Value{}}
	for _, item := range list {
		p.names = append(p.names, name(item))
		p.values[name(item)] = reflect.ValueOf(item)
	}
	return p
}

func byTablespace(list []experiment.Tablespace) parts {
	p := parts{values: map[string]reflect.Value{}}
	for _, t := range list {
		p.names = append(p.names, t.Name)
		p.values[t.Name] = reflect.ValueOf(t.Volume)
	}
	return p
}

// named compares entries of the same name, and the order of the names, on which the schedule depends.
func (d *differ) named(a, b parts, where string) {
	d.texts(strings.Join(a.names, ", "), strings.Join(b.names, ", "), where)
	for _, name := range a.names {
		if other, both := b.values[name]; both {
			d.values(a.values[name], other, field.Key{}, where+"."+name)
		}
	}
}

func (d *differ) words(a, b map[string]string, where string) {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, b)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		x, inA := a[name]
		y, inB := b[name]
		if inA && x == "" {
			x = "''"
		}
		if inB && y == "" {
			y = "''"
		}
		d.texts(x, y, where+"."+name)
	}
}

// texts notes two different values; an empty one is absent.
func (d *differ) texts(a, b, where string) {
	short, other := oneLine(a), oneLine(b)
	text := fmt.Sprintf("%s in the record, %s in the file", short, other)
	switch {
	case a == b:
		return
	case a == "":
		text = fmt.Sprintf("not in the record, %s in the file", other)
	case b == "":
		text = fmt.Sprintf("%s in the record, not in the file", short)
	case short == other || strings.Contains(a+b, "\n"):
		text = "the text in the record differs from that in the file"
	}
	d.found = append(d.found, where+": "+text)
}

func oneLine(text string) string {
	return strictyaml.Shorten(strings.ReplaceAll(strings.TrimSpace(text), "\n", " "))
}

// display returns a present value as written in a file.
func display(v reflect.Value) string {
	if text, known := field.Exact(v.Interface()); known {
		return text
	}
	switch v.Kind() {
	case reflect.Slice:
		words := make([]string, v.Len())
		for i := range words {
			words[i] = display(v.Index(i))
		}
		return strings.Join(words, ", ")
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'f', -1, 64)
	case reflect.Struct, reflect.Pointer: // the member of an array, a model
		return inOneLine(v)
	}
	return fmt.Sprint(v.Interface())
}
