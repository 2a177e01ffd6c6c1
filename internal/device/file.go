package device

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/hint"
)

// MostFile is the most bytes that ReadFile takes: more than any device file has.
const MostFile = 64 << 10

// ReadFile reads a device file. It is strict: an unknown key, a key twice, a number
// without its unit, or a model that Check refuses is an error with its line, and a
// hint where there is one.
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

// noKey is the tag of a field that device files do not have.
const noKey = "-"

// parse is the one mapping that a device file is.
func parse(data []byte) (*yaml.Node, error) {
	if len(data) > MostFile {
		return nil, fmt.Errorf("a device file of more than %d bytes", MostFile)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document yaml.Node
	err := decoder.Decode(&document)
	switch {
	case errors.Is(err, io.EOF):
		return nil, hint.Errorf("plinth devices gp3 --yaml prints one to begin with", "the device file is empty")
	case err != nil:
		return nil, fmt.Errorf("not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	case !errors.Is(decoder.Decode(&yaml.Node{}), io.EOF):
		return nil, errors.New("more than one document in a device file")
	}
	return document.Content[0], nil
}

// reader fills a Device from a tree, and remembers on which line each key stood.
type reader struct{ lines map[string]int }

// section fills a struct from a mapping. path is empty or ends in a dot.
func (r reader) section(n *yaml.Node, v reflect.Value, path string) error {
	if n.Kind != yaml.MappingNode {
		return at(n, "expected keys and values in %s, found %s", place(path), found(n))
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		field, known := fieldOfKey(v, key.Value)
		if !known {
			keys := keysOf(v.Type())
			known := "known here: " + strings.Join(keys, ", ")
			return hint.Wrap(at(key, "unknown key %s in %s", strconv.Quote(short(key.Value)), place(path)), hint.DidYouMean(key.Value, keys, known))
		}
		if first := r.lines[path+key.Value]; first != 0 {
			return at(key, "duplicate key %s in %s (first on line %d)", key.Value, place(path), first)
		}
		r.lines[path+key.Value] = key.Line
		if err := r.value(value, field, path+key.Value); err != nil {
			return err
		}
	}
	return nil
}

// placed adds the line to an error of Check: that of the field, or of what it
// would stand in.
func (r reader) placed(err error) error {
	for field := fieldOf(err); ; {
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

// found describes what stands there.
func found(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "keys and values"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.AliasNode:
		return "an alias, which device files do not have"
	case n.Tag == "!!null" || n.Value == "":
		return "nothing"
	}
	return strconv.Quote(short(n.Value))
}

func short(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:40]) + "..."
	}
	return text
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
