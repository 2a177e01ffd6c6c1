package device

import (
	"bytes"
	"encoding"
	"reflect"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// YAML returns d as a model file, every figure with its unit. ReadFile reads back the
// same device except for fractions of a byte a second. Zero values are left out.
func (d Device) YAML() []byte {
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	// Encoding strings and numbers to memory cannot fail.
	_ = encoder.Encode(sectionNode(reflect.ValueOf(d)))
	_ = encoder.Close()
	return b.Bytes()
}

// sectionNode returns a struct as a mapping, on one line if it holds only scalars.
func sectionNode(v reflect.Value) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	if t := v.Type(); t != reflect.TypeFor[Device]() && t != reflect.TypeFor[Array]() {
		n.Style = yaml.FlowStyle
	}
	for i := range v.NumField() {
		// Level 0 is a valid RAID level; all other zeros mean absent.
		key := v.Type().Field(i).Tag.Get("yaml")
		if v.Field(i).IsZero() && key != "level" || key == noKey {
			continue
		}
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, valueNode(v.Field(i)))
	}
	return n
}

func valueNode(v reflect.Value) *yaml.Node {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if quantity, is := v.Interface().(encoding.TextMarshaler); is {
		text, _ := quantity.MarshalText() // cannot fail for a number
		return &yaml.Node{Kind: yaml.ScalarNode, Value: string(text)}
	}
	switch v.Kind() {
	case reflect.Struct:
		return sectionNode(v)
	case reflect.Bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: strconv.FormatBool(v.Bool())}
	case reflect.Int:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: strconv.FormatInt(v.Int(), 10)}
	case reflect.Float64:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: strconv.FormatFloat(v.Float(), 'f', -1, 64)}
	}
	n := &yaml.Node{}
	if n.SetString(v.String()); n.Style == yaml.LiteralStyle {
		n.Style = yaml.DoubleQuotedStyle // a block with lines that begin with a tab cannot be read back
	}
	return n
}

// keysIn returns the keys of all values of a device that are not left out, except for its
// name and the informational fields.
func keysIn(d Device) []string {
	d.Name, d.Source, d.Measured, d.Disk = "", "", "", Disk{}
	var keys []string
	var walk func(n *yaml.Node, path string)
	walk = func(n *yaml.Node, path string) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := path+n.Content[i].Value, n.Content[i+1]
			if value.Kind == yaml.MappingNode {
				walk(value, key+".")
				continue
			}
			keys = append(keys, key)
		}
	}
	walk(sectionNode(reflect.ValueOf(d)), "")
	return keys
}
