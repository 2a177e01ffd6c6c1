package encode

import (
	"bytes"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/device"
	"plinth/internal/experiment"
)

// shortNode is a section of which one key alone is given as the one word that may
// stand for it, or nil.
func (w writer) shortNode(section reflect.Value, word string) *yaml.Node {
	if word == "" {
		return nil
	}
	n := w.sectionNode(section)
	if len(n.Content) != 2 {
		return nil
	}
	return textNode(word)
}

// storageNode is a volume, a disk or an emulation in its short form, or nil where it
// is none or needs its keys.
func (w writer) storageNode(v reflect.Value) *yaml.Node {
	switch value := v.Interface().(type) {
	case experiment.Volume:
		return w.shortNode(v, value.Directory)
	case experiment.Disk:
		return w.shortNode(v, value.Device)
	case experiment.Emulation:
		return w.shortNode(v, value.Name)
	case []experiment.Tablespace:
		n := &yaml.Node{Kind: yaml.MappingNode}
		for _, t := range value {
			n.Content = append(n.Content, textNode(t.Name), w.valueNode(reflect.ValueOf(t.Volume)))
		}
		return n
	case *device.Device:
		return modelNode(value)
	}
	return nil
}

// modelNode is a model as its device file has it.
func modelNode(model *device.Device) *yaml.Node {
	var document yaml.Node
	if err := yaml.Unmarshal(model.YAML(), &document); err != nil || len(document.Content) == 0 {
		return nil // what this program writes it also reads; a property test holds it
	}
	return document.Content[0]
}

// inOneLine is a section as one would write it into a line: {emulate: gp3, iops: 6000}.
func inOneLine(v reflect.Value) string {
	n := writer{}.valueNode(v)
	if n == nil {
		return ""
	}
	flow(n)
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	// Writing strings and numbers to memory has no way to fail.
	_ = encoder.Encode(n)
	_ = encoder.Close()
	return strings.TrimSpace(b.String())
}

func flow(n *yaml.Node) {
	if n.Kind != yaml.ScalarNode {
		n.Style = yaml.FlowStyle
	}
	for _, child := range n.Content {
		flow(child)
	}
}
