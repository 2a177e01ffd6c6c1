package experiment

import (
	"go.yaml.in/yaml/v3"

	"plinth/internal/conninfo"
	"plinth/internal/strictyaml"
)

const (
	maxFile = 1 << 20 // bytes of an experiment file, and of a script
	maxList = 1000    // entries of a list
)

// source is a YAML file as a tree, and what was found wrong with it.
type source struct {
	strictyaml.Notes
	root *yaml.Node
}

func newSource(file string) *source {
	return &source{Notes: strictyaml.Notes{File: file, Elsewhere: map[*yaml.Node]string{}, Shared: map[*yaml.Node]bool{}}}
}

// add notes a mistake at a node; nil stands for the file as a whole. A hint that
// repeats a connection string is left out.
func (s *source) add(n *yaml.Node, hint, format string, args ...any) {
	if conninfo.HoldsPassword(hint) {
		hint = ""
	}
	s.Add(n, hint, format, args...)
}

var kind = strictyaml.Kind{
	Name: "experiment", File: "experiment file", Limit: maxFile, Begin: "plinth list shows the built-in experiments",
}

// read parses the one document of a file into s.root, a mapping.
func (s *source) read(data []byte) {
	s.root = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: 1, Column: 1}
	root, err := s.Document(data, kind)
	switch {
	case err != nil:
		s.Syntax(data, err)
	case root == nil:
	case strictyaml.IsNull(root):
		s.add(nil, kind.Begin, "holds no experiment")
	default:
		if root = s.Expand(root); root.Kind != yaml.MappingNode {
			s.add(root, "begin with name: or workloads:", "expected an experiment's keys and values, found %s", describe(root))
			return
		}
		s.root = root
	}
}

// describe says what stands where something else was expected.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys and values"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.Tag {
	case "!!null":
		return "nothing"
	case "!!int", "!!float", "!!bool":
		return strictyaml.Bare(n.Value)
	}
	return "the text " + strictyaml.Quote(n.Value)
}
