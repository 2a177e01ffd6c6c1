package decode

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"plinth/internal/strictyaml"
)

// unfold expands steps and ablate into environments before anything is decoded, so that the decoder
// only handles environments, and mistakes keep their position in the file. It leaves invalid input
// unchanged, for the checks to report. Profile files are relative to dir.
func (s *source) unfold(dir string) {
	steps, by := strictyaml.Lookup(s.root, "steps"), strictyaml.Lookup(s.root, "ablate")
	environments := strictyaml.Lookup(s.root, "environments")
	if environments == nil || environments.Kind != yaml.MappingNode || len(environments.Content) != 2 {
		return // already expanded, or a mistake
	}
	name, base := environments.Content[0], environments.Content[1]
	if name.Kind != yaml.ScalarNode || strictyaml.IsNull(name) || base.Kind != yaml.MappingNode && !strictyaml.IsNull(base) {
		return
	}
	var unfolded []*yaml.Node
	switch {
	case steps != nil && by != nil:
		return
	case steps != nil:
		unfolded = s.unfoldSteps(steps, name, base)
	case by != nil:
		unfolded = s.unfoldAblation(by, name, base, dir)
	}
	if unfolded != nil {
		s.inherit(environments)
		environments.Content = unfolded
	}
}

// inherit marks the nodes of a tree as shared by several environments, so that a mistake in them is
// reported once.
func (s *source) inherit(n *yaml.Node) {
	s.Shared[n] = true
	for _, child := range n.Content {
		s.inherit(child)
	}
}

// without returns the content of a mapping without some keys.
func without(n *yaml.Node, keys ...string) []*yaml.Node {
	var rest []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !slices.Contains(keys, n.Content[i].Value) {
			rest = append(rest, n.Content[i], n.Content[i+1])
		}
	}
	return rest
}

// items returns the entries of a list; none for nil and null.
func items(n *yaml.Node) []*yaml.Node {
	if n == nil || strictyaml.IsNull(n) {
		return nil
	}
	return strictyaml.Items(n)
}

// size returns the number of nodes of a tree.
func size(n *yaml.Node) int {
	values := 1
	for _, child := range n.Content {
		values += size(child)
	}
	return values
}

// tooLarge reports whether a short form expands to more values than a file may have, and notes it.
func (s *source) tooLarge(at *yaml.Node, values int) bool {
	if values > strictyaml.MostValues {
		s.Add(at, "", "the file is too large when expanded: more than %d values", strictyaml.MostValues)
		return true
	}
	return false
}
