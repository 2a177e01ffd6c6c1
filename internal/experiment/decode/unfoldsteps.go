package decode

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/experiment/field"
	"plinth/internal/experiment/mistake"
	"plinth/internal/strictyaml"
)

// unfoldSteps returns the environments of all steps, as names and values: the given one, and for each
// step the previous one with the step's changes. The steps keep their names and descriptions; a first
// step with the name of the given environment sets its description. It returns nil for invalid input.
func (s *source) unfoldSteps(steps, name, base *yaml.Node) []*yaml.Node {
	list := items(steps)
	for _, step := range list {
		if !isStep(step) {
			return nil
		}
	}
	if len(list) == 0 || len(list) > field.MaxList || s.tooLarge(steps, (size(base)+size(steps))*len(list)) {
		return nil
	}
	var first *yaml.Node // the step of the given environment
	if strictyaml.Lookup(list[0], "name").Value == name.Value {
		first = mistake.Mapping(list[0], list[0].Content)
		list = list[1:]
	} else {
		first = mistake.Mapping(name, []*yaml.Node{s.Word("name", name), s.Word(name.Value, name)})
	}
	s.label(first, changeOf(base))
	labels := []*yaml.Node{first}
	environments := []*yaml.Node{name, base}
	for _, step := range list {
		s.inherit(step)
		label := mistake.Mapping(step, step.Content)
		s.label(label, changeOf(step, "storage", "limits"))
		base = s.advance(base, label)
		environments = append(environments, strictyaml.Lookup(label, "name"), base)
		labels = append(labels, label)
	}
	written := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: labels, Line: steps.Line, Column: steps.Column}
	for i := 0; i+1 < len(s.root.Content); i += 2 {
		if s.root.Content[i].Value == "steps" {
			s.root.Content[i+1] = written
		}
	}
	return environments
}

// isStep reports whether a node is a step, as far as unfolding depends on it.
func isStep(n *yaml.Node) bool {
	if n.Kind != yaml.MappingNode {
		return false
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if seen[n.Content[i].Value] {
			return false // the decoder reports it
		}
		seen[n.Content[i].Value] = true
	}
	name := strictyaml.Lookup(n, "name")
	return name != nil && name.Kind == yaml.ScalarNode && !strictyaml.IsNull(name) && name.Value != ""
}

// label sets the description of a step that has none.
func (s *source) label(label *yaml.Node, text string) {
	if text != "" && strictyaml.Lookup(label, "change") == nil {
		at := strictyaml.Lookup(label, "name")
		label.Content = append(label.Content, s.Word("change", at), s.Word(text, at))
	}
}

// advance returns an environment with a step's changes, which it removes from the step. Invalid tuning
// and settings stay in the step, for the decoder to report.
func (s *source) advance(base, step *yaml.Node) *yaml.Node {
	next := mistake.Mapping(step, base.Content)
	for _, key := range []string{"storage", "limits"} {
		if value := strictyaml.Lookup(step, key); value != nil {
			next.Content = append(without(next, key), s.Word(key, value), value)
			step.Content = without(step, key)
		}
	}
	if added := strictyaml.Lookup(step, "tuning"); len(items(added)) > 0 {
		list := append(append([]*yaml.Node{}, items(strictyaml.Lookup(base, "tuning"))...), items(added)...)
		value := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: list, Line: added.Line, Column: added.Column}
		next.Content = append(without(next, "tuning"), s.Word("tuning", added), value)
		step.Content = without(step, "tuning")
	}
	if changed := strictyaml.Lookup(step, "settings"); changed != nil && changed.Kind == yaml.MappingNode {
		value := mistake.Mapping(changed, changed.Content)
		if before := strictyaml.Lookup(base, "settings"); before != nil && before.Kind == yaml.MappingNode {
			value.Content = append(without(before, sameNames(before, changed)...), changed.Content...)
		}
		next.Content = append(without(next, "settings"), s.Word("settings", changed), value)
		step.Content = without(step, "settings")
	}
	return next
}

// sameNames returns the keys of before that changed also has. Names of settings are case-insensitive.
func sameNames(before, changed *yaml.Node) []string {
	lower := map[string]bool{}
	for i := 0; i+1 < len(changed.Content); i += 2 {
		lower[strings.ToLower(changed.Content[i].Value)] = true
	}
	var names []string
	for i := 0; i+1 < len(before.Content); i += 2 {
		if name := before.Content[i].Value; lower[strings.ToLower(name)] {
			names = append(names, name)
		}
	}
	return names
}

// changeOf describes the tuning and settings of a mapping: profiles by name, knobs and settings with
// their values; and the names of those other keys that it has.
func changeOf(step *yaml.Node, others ...string) string {
	var words []string
	for _, item := range items(strictyaml.Lookup(step, "tuning")) {
		switch {
		case item.Kind == yaml.ScalarNode && isDeviceFile(item.Value):
			words = append(words, stem(item.Value))
		case item.Kind == yaml.ScalarNode:
			words = append(words, item.Value)
		case strictyaml.Lookup(item, "name") != nil:
			words = append(words, strictyaml.Lookup(item, "name").Value)
		default:
			words = append(words, assignments(item)...)
		}
	}
	words = append(words, assignments(strictyaml.Lookup(step, "settings"))...)
	for _, key := range others {
		if strictyaml.Lookup(step, key) != nil {
			words = append(words, key)
		}
	}
	return strictyaml.Shorten(strings.Join(words, ", "))
}

// assignments returns the entries of a mapping as "name = value".
func assignments(n *yaml.Node) []string {
	var words []string
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if value := n.Content[i+1]; value.Kind == yaml.ScalarNode {
			words = append(words, n.Content[i].Value+" = "+strings.TrimSpace(strings.TrimPrefix(value.Value, "=")))
		}
	}
	return words
}
