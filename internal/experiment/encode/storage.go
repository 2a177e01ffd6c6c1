package encode

import (
	"bytes"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/device"
	"plinth/internal/experiment"
)

// shortNode returns the short form of a section that has a single key, word, or nil if it has no short
// form.
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

// storageNode returns the node of tablespaces or a model, or the short form of a volume, disk,
// emulation, CPU credits or machine. It returns nil for other types and if there is no short form.
func (w writer) storageNode(v reflect.Value) *yaml.Node {
	switch value := v.Interface().(type) {
	case experiment.Volume:
		return w.shortNode(v, value.Directory)
	case experiment.Disk:
		return w.shortNode(v, value.Device)
	case experiment.Emulation:
		return w.shortNode(v, value.Name)
	case experiment.CPUCredits:
		return w.shortNode(v, value.Instance)
	case experiment.At:
		return w.shortNode(v, value.SSH)
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

// modelNode returns a model with the keys of a model file.
func modelNode(model *device.Device) *yaml.Node {
	var document yaml.Node
	if err := yaml.Unmarshal(model.YAML(), &document); err != nil || len(document.Content) == 0 {
		return nil // cannot happen: a property test checks that the output can be read
	}
	return document.Content[0]
}

// inOneLine returns a section in flow style: {emulate: gp3, iops: 6000}.
func inOneLine(v reflect.Value) string {
	n := writer{}.valueNode(v)
	if n == nil {
		return ""
	}
	flow(n)
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	// Encoding strings and numbers to memory cannot fail.
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
