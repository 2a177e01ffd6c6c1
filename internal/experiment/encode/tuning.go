package encode

import (
	"go.yaml.in/yaml/v3"

	"plinth/internal/experiment"
	"plinth/internal/knob"
	"plinth/internal/profile"
)

// tuningNode returns the node of one tuning item.
func tuningNode(t experiment.Tuning) *yaml.Node {
	switch {
	case t.Profile != nil:
		return profileNode(t.Profile)
	case t.Set != nil:
		return wordsNode(t.Set)
	}
	return textNode(t.Name)
}

// profileNode returns a profile with the keys of a profile file.
func profileNode(p *profile.Profile) *yaml.Node {
	var n pairs
	n.text("name", p.Name)
	n.text("about", p.About)
	n.add("source", sourceNode(p.Source))
	n.add("includes", textsNode(p.Includes))
	var requires []*yaml.Node
	for _, r := range p.Requires {
		var one pairs
		one.text("layer", string(r.Layer))
		one.text("holds", r.Holds)
		one.text("text", r.Text)
		one.text("hint", r.Hint)
		requires = append(requires, one.node())
	}
	n.add("requires", listOf(requires))
	if p.Unsafe {
		n.add("unsafe", wordNode("true"))
	}
	var settings []*yaml.Node
	for _, s := range p.Settings {
		var one pairs
		one.text("knob", s.Key.String())
		one.add("value", wordNode(s.Value))
		one.text("group", s.Group)
		one.text("when", s.When)
		one.text("unless", s.Unless)
		one.text("reason", s.Reason)
		settings = append(settings, one.node())
	}
	n.add("settings", listOf(settings))
	return n.node()
}

func sourceNode(s knob.Source) *yaml.Node {
	var n pairs
	n.text("author", s.Author)
	n.text("title", s.Title)
	n.text("section", s.Section)
	n.text("url", s.URL)
	if n == nil {
		return nil
	}
	return n.node()
}

// pairs collects the keys and values of a mapping. It omits empty values.
type pairs []*yaml.Node

func (p *pairs) add(key string, value *yaml.Node) {
	if value != nil {
		*p = append(*p, textNode(key), value)
	}
}

func (p *pairs) text(key, value string) {
	if value != "" {
		p.add(key, textNode(value))
	}
}

func (p *pairs) node() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode, Content: *p} }

func textsNode(texts []string) *yaml.Node {
	var items []*yaml.Node
	for _, text := range texts {
		items = append(items, textNode(text))
	}
	n := listOf(items)
	if n != nil {
		n.Style = yaml.FlowStyle
	}
	return n
}

// listOf returns a list node, or nil if there are no items.
func listOf(items []*yaml.Node) *yaml.Node {
	if items == nil {
		return nil
	}
	return &yaml.Node{Kind: yaml.SequenceNode, Content: items}
}
