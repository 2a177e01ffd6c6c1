package decode

import (
	"go.yaml.in/yaml/v3"

	"plinth/internal/experiment"
	"plinth/internal/experiment/mistake"
	"plinth/internal/strictyaml"
)

// source is a YAML file as a tree, with the mistakes found in it.
type source struct {
	*mistake.Notes
	root    *yaml.Node
	removed []removal // by --set KEY=
	origin  string    // where the values of set come from: --set, or a form of the file
}

func newSource(file string) *source {
	return &source{Notes: mistake.New(file), origin: "--set "}
}

var kind = strictyaml.Kind{
	Name: "experiment", File: "experiment file", Limit: maxFile, Begin: "plinth list shows the built-in experiments",
}

// read parses the document of a file into s.root, a mapping.
func (s *source) read(data []byte) {
	s.root = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: 1, Column: 1}
	root, err := s.Document(data, kind)
	switch {
	case err != nil:
		s.Syntax(data, err)
	case root == nil:
	case strictyaml.IsNull(root):
		s.Add(nil, kind.Begin, "contains no experiment")
	default:
		if root = s.Expand(root); root.Kind != yaml.MappingNode {
			s.Add(root, "begin with name: or workloads:", "expected an experiment's keys and values, found %s", describe(root))
			return
		}
		s.root = root
	}
}

// describe returns a description of a node that is not what was expected.
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

// engine returns the engine of the file. It is needed before any key is decoded, because it decides
// which keys exist.
func (s *source) engine() string {
	if s.root == nil {
		return experiment.EnginePostgres
	}
	if value := strictyaml.Lookup(s.root, "engine"); value != nil && experiment.EngineName(value.Value) != "" {
		return value.Value
	}
	return experiment.EnginePostgres
}

func (s *source) imported() bool {
	if s.root == nil {
		return false
	}
	value := strictyaml.Lookup(s.root, "imported")
	return value != nil && value.Value == "true"
}

const maxFile = 1 << 20 // bytes of an experiment file, and of a script
