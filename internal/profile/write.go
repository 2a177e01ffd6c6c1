package profile

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// YAML returns a profile as a file, which Parse reads back as the same profile.
func (p *Profile) YAML() ([]byte, error) {
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	if err := encoder.Encode(p.Node()); err != nil {
		return nil, fmt.Errorf("cannot write the profile %s: %w", p.Name, err)
	}
	return text.Bytes(), encoder.Close()
}

// Node returns a profile as a part of another YAML file, which FromNode reads back.
func (p *Profile) Node() *yaml.Node {
	top := newMapping(0)
	top.word("name", p.Name)
	top.word("about", p.About)
	source := newMapping(yaml.FlowStyle)
	source.word("author", p.Source.Author)
	source.word("title", p.Source.Title)
	source.word("section", p.Source.Section)
	source.word("url", p.Source.URL)
	top.mapping("source", source)
	includes := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, name := range p.Includes {
		includes.Content = append(includes.Content, word(name))
	}
	top.list("includes", includes)
	if p.Unsafe {
		top.put("unsafe", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"})
	}
	requires := &yaml.Node{Kind: yaml.SequenceNode}
	for _, r := range p.Requires {
		requires.Content = append(requires.Content, r.node())
	}
	settings := &yaml.Node{Kind: yaml.SequenceNode}
	for _, s := range p.Settings {
		settings.Content = append(settings.Content, s.node())
	}
	top.list("requires", requires)
	top.list("settings", settings)
	return top.Node
}

func (r Requirement) node() *yaml.Node {
	m := newMapping(0)
	m.word("layer", string(r.Layer))
	m.word("holds", r.Holds)
	m.word("text", r.Text)
	m.word("hint", r.Hint)
	return m.Node
}

func (s Setting) node() *yaml.Node {
	m := newMapping(0)
	m.word("knob", s.Key.String())
	m.put("value", word(s.Value)) // an empty value is valid: save ""
	m.word("group", s.Group)
	m.word("when", s.When)
	m.word("unless", s.Unless)
	m.word("reason", s.Reason)
	return m.Node
}

// mapping is a YAML mapping that omits empty values.
type mapping struct{ *yaml.Node }

func newMapping(style yaml.Style) mapping {
	return mapping{&yaml.Node{Kind: yaml.MappingNode, Style: style}}
}

func (m mapping) put(key string, value *yaml.Node) {
	m.Content = append(m.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, value)
}

func (m mapping) word(key, value string) {
	if value != "" {
		m.put(key, word(value))
	}
}

func (m mapping) list(key string, list *yaml.Node) {
	if len(list.Content) > 0 {
		m.put(key, list)
	}
}

func (m mapping) mapping(key string, inner mapping) {
	if len(inner.Content) > 0 {
		m.put(key, inner.Node)
	}
}

// word returns a scalar, quoted if YAML would read it as something else; numbers, which a
// profile reads as text, are not quoted.
func word(text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: text}
	n.SetString(text)
	if isPlain(text) {
		n.Tag, n.Style = "", 0
	}
	return n
}

// isPlain reports whether YAML reads an unquoted text as a scalar with the same text.
func isPlain(text string) bool {
	var n yaml.Node
	err := yaml.Unmarshal([]byte("k: "+text+"\n"), &n)
	if err != nil || len(n.Content) != 1 || len(n.Content[0].Content) != 2 {
		return false
	}
	value := n.Content[0].Content[1]
	return value.Kind == yaml.ScalarNode && value.Value == text && value.Style == 0 && value.Tag != "!!null" && value.Anchor == "" && value.LineComment == ""
}
