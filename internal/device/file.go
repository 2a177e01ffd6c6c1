package device

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/hint"
	"plinth/internal/strictyaml"
)

// MostFile is the maximum size in bytes that ReadFile accepts.
const MostFile = 64 << 10

// ReadFile reads a model file. It is strict: an unknown key, a duplicate key, a number
// without its unit, or a model that Check refuses is an error with its line and, where
// possible, a hint.
func ReadFile(data []byte) (Device, error) {
	root, err := parse(data)
	if err != nil {
		return Device{}, err
	}
	r := reader{lines: map[string]int{}}
	var d Device
	if err := r.section(root, reflect.ValueOf(&d).Elem(), ""); err != nil {
		return Device{}, err
	}
	if err := d.Check(); err != nil {
		return Device{}, r.placed(err)
	}
	return d, nil
}

// noKey is the tag of a field that is not in model files.
const noKey = "-"

// parse returns the root of the YAML document.
func parse(data []byte) (*yaml.Node, error) {
	root, err := strictyaml.Document(data, MostFile)
	var second *strictyaml.SecondError
	switch {
	case err == nil:
		return root, nil
	case errors.Is(err, strictyaml.ErrLarge):
		return nil, fmt.Errorf("the model file is larger than %d bytes", MostFile)
	case errors.Is(err, strictyaml.ErrEmpty):
		return nil, hint.Errorf("start from the output of plinth devices gp3 --yaml", "the model file is empty")
	case errors.As(err, &second):
		return nil, errors.New("the model file has more than one YAML document")
	}
	return nil, fmt.Errorf("not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
}

// reader fills a Device from a YAML tree, and records the line of each key.
type reader struct{ lines map[string]int }

// section fills a struct from a mapping. path is empty or ends in a dot.
func (r reader) section(n *yaml.Node, v reflect.Value, path string) error {
	if n.Kind != yaml.MappingNode {
		return at(n, "expected keys and values in %s, found %s", place(path), found(n))
	}
	for e := range strictyaml.Entries(n) {
		key := e.Key
		field, known := fieldOfKey(v, key.Value)
		if !known {
			advice, text := strictyaml.Unknown(key, keysOf(v.Type()), place(path))
			return hint.Wrap(at(key, "%s", text), advice)
		}
		if e.First != nil {
			return at(key, "duplicate key %s in %s (first on line %d)", key.Value, place(path), e.First.Line)
		}
		r.lines[path+key.Value] = key.Line
		if err := r.value(e.Value, field, path+key.Value); err != nil {
			return err
		}
	}
	return nil
}

// value fills one value: a quantity that carries its unit, a section, or a scalar.
func (r reader) value(n *yaml.Node, v reflect.Value, path string) error {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if v.Kind() == reflect.Struct {
		return r.section(n, v, path+".")
	}
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return at(n, "%s: expected a value, found %s", path, found(n))
	}
	if quantity, is := v.Addr().Interface().(encoding.TextUnmarshaler); is {
		if err := quantity.UnmarshalText([]byte(n.Value)); err != nil {
			return at(n, "%s: %v", path, err)
		}
		return nil
	}
	if err := strictyaml.Set(v, n); err != nil {
		return at(n, "%s: expected %s, found %s", path, strictyaml.Expected(v.Type()), found(n))
	}
	return nil
}

// placed adds a line to an error of Check: that of the field, or of the section that it
// is missing from.
func (r reader) placed(err error) error {
	field := ""
	var m *Mistake
	if errors.As(err, &m) {
		field = m.Field
	}
	for {
		if line := r.lines[field]; line != 0 {
			return fmt.Errorf("line %d: %w", line, err)
		}
		last := strings.LastIndex(field, ".")
		if last < 0 {
			return err
		}
		field = field[:last]
	}
}

func at(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("line %d: "+format, append([]any{n.Line}, args...)...)
}

func place(path string) string {
	if path == "" {
		return "the device"
	}
	return strings.TrimSuffix(path, ".")
}

// found describes n for an error message.
func found(n *yaml.Node) string {
	if n.Kind == yaml.AliasNode {
		return "an alias, which model files do not allow"
	}
	return strictyaml.Describe(n)
}

func fieldOfKey(v reflect.Value, key string) (reflect.Value, bool) {
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("yaml") == key && key != noKey {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

func keysOf(t reflect.Type) []string {
	var keys []string
	for i := range t.NumField() {
		if key := t.Field(i).Tag.Get("yaml"); key != noKey {
			keys = append(keys, key)
		}
	}
	return keys
}
