// Package encode writes an experiment as a self-contained file, and lists the differences between two
// experiments by the keys of that file format.
package encode

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"plinth/internal/experiment"
	"plinth/internal/experiment/field"
)

// YAML returns an experiment as a self-contained file, with all defaults, the seed and the scripts, but
// without passwords; keys are in the order of the structs. decode.Parse reads it back as an equal
// experiment, except for passwords.
func YAML(e *experiment.Experiment) []byte {
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	// Encoding strings and numbers to memory cannot fail.
	w := writer{engine: e.Engine}
	_ = encoder.Encode(w.sectionNode(reflect.ValueOf(e).Elem()))
	_ = encoder.Close()
	return b.Bytes()
}

// writer writes the keys of an engine; those of all engines if it is "".
type writer struct{ engine string }

// sectionNode returns a struct as a mapping. It omits keys without a value.
func (w writer) sectionNode(v reflect.Value) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, f := range field.Of(v.Type()) {
		value := v.FieldByIndex(f.Index)
		if !f.In(w.engine) || field.Absent(value, f) {
			continue
		}
		child := w.valueNode(value)
		if f.Enum != nil {
			child = wordNode(value.String()) // raid: 10
		}
		if child != nil {
			n.Content = append(n.Content, textNode(f.Name), child)
		}
	}
	return n
}

func (w writer) valueNode(v reflect.Value) *yaml.Node {
	switch value := v.Interface().(type) {
	case []experiment.Environment:
		n := &yaml.Node{Kind: yaml.MappingNode}
		for _, env := range value {
			n.Content = append(n.Content, textNode(env.Name), w.sectionNode(reflect.ValueOf(env)))
		}
		return n
	case experiment.Workload:
		if len(value.Scripts) == 1 && reflect.DeepEqual(value, experiment.WorkloadOf(value.Scripts[0].Builtin)) {
			return textNode(value.Name)
		}
	case experiment.Tuning:
		return tuningNode(value)
	case map[string]string:
		return wordsNode(value)
	}
	if text, known := field.Exact(v.Interface()); known {
		return textNode(text)
	}
	if n := w.storageNode(v); n != nil {
		return n
	}
	switch v.Kind() {
	case reflect.Struct:
		if n := w.sectionNode(v); len(n.Content) > 0 {
			return n
		}
		return nil
	case reflect.Slice:
		return w.listNode(v)
	case reflect.String:
		return textNode(v.String())
	case reflect.Float64:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: strconv.FormatFloat(v.Float(), 'f', -1, 64)}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(v.Interface())}
}

func (w writer) listNode(v reflect.Value) *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode}
	for i := range v.Len() {
		item := w.valueNode(v.Index(i))
		n.Content = append(n.Content, item)
	}
	if kind := v.Type().Elem().Kind(); kind == reflect.Int || kind == reflect.Float64 || kind == reflect.String {
		n.Style = yaml.FlowStyle
	}
	return n
}

func wordsNode(words map[string]string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, name := range slices.Sorted(maps.Keys(words)) {
		n.Content = append(n.Content, textNode(name), wordNode(words[name]))
	}
	return n
}

// wordNode returns the node of a value that is used as written. It needs no quotes even if YAML would
// read it as a number or a Boolean.
func wordNode(text string) *yaml.Node {
	plain := &yaml.Node{Kind: yaml.ScalarNode, Value: text}
	switch plain.ShortTag() {
	case "!!int", "!!float", "!!bool":
		return plain
	}
	return textNode(text)
}

// textNode returns the node of a text, quoted if necessary. A multi-line text is written as a block if
// that preserves it exactly.
func textNode(text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	switch {
	case fitsBlock(text):
		n.Style = yaml.LiteralStyle
	case strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }):
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

func fitsBlock(text string) bool {
	if !strings.Contains(text, "\n") || strings.TrimSpace(text[:1]) == "" {
		return false
	}
	strange := strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) })
	return !strange && !strings.Contains(text, " \n") && !strings.Contains(text, "\t\n") && !strings.HasSuffix(text, " ")
}
