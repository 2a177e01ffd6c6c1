package decode

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"plinth/internal/strictyaml"
)

// unfold writes out the environments that steps and ablate are short for, before
// anything is decoded: what follows knows environments only, and mistakes have the
// places that their words have in the file. What cannot be unfolded stays as it is;
// checks say why. dir is where files of profiles are looked for.
func (s *source) unfold(dir string) {
	steps, by := strictyaml.Lookup(s.root, "steps"), strictyaml.Lookup(s.root, "ablate")
	environments := strictyaml.Lookup(s.root, "environments")
	if environments == nil || environments.Kind != yaml.MappingNode || len(environments.Content) != 2 {
		return // written out already, or a mistake
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

// inherit marks the nodes of a tree: they will stand in several environments, and what
// is wrong with them is told once.
func (s *source) inherit(n *yaml.Node) {
	s.Shared[n] = true
	for _, child := range n.Content {
		s.inherit(child)
	}
}

// without is the content of a mapping that lacks some keys.
func without(n *yaml.Node, keys ...string) []*yaml.Node {
	var rest []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !slices.Contains(keys, n.Content[i].Value) {
			rest = append(rest, n.Content[i], n.Content[i+1])
		}
	}
	return rest
}

// items are the entries of a list, none where nothing is written.
func items(n *yaml.Node) []*yaml.Node {
	if n == nil || strictyaml.IsNull(n) {
		return nil
	}
	return strictyaml.Items(n)
}

// size is how many values a tree holds.
func size(n *yaml.Node) int {
	values := 1
	for _, child := range n.Content {
		values += size(child)
	}
	return values
}

// tooLarge notes that a short form stands for more values than a file may have.
func (s *source) tooLarge(at *yaml.Node, values int) bool {
	if values > strictyaml.MostValues {
		s.Add(at, "", "the file is too large when expanded: more than %d values", strictyaml.MostValues)
		return true
	}
	return false
}
