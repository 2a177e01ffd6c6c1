package decode

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"plinth/internal/strictyaml"
)

// unfoldStorage moves the volumes of the experiment's storage into every environment that does not
// declare its own. It refuses --set storage.data if no environment would use it, and connected
// environments (and existing ones on Kubernetes), whose storage plinth does not choose. It leaves other invalid input for the decoder
// to report.
func (s *source) unfoldStorage() {
	common, environments := strictyaml.Lookup(s.root, "storage"), strictyaml.Lookup(s.root, "environments")
	rest := without(s.root, "storage")
	if common == nil || common.Kind != yaml.MappingNode || len(s.root.Content) != len(rest)+2 || // a duplicate key
		environments == nil || environments.Kind != yaml.MappingNode || s.tooLarge(common, size(common)*len(environments.Content)/2) {
		return
	}
	used := map[*yaml.Node]bool{}
	for i := 0; i+1 < len(environments.Content); i += 2 {
		name, environment := environments.Content[i].Value, environments.Content[i+1]
		if strictyaml.IsNull(environment) {
			environment = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: environment.Line, Column: environment.Column}
			environments.Content[i+1] = environment
		}
		if environment.Kind != yaml.MappingNode {
			return
		}
		if how := existing(environment); how != "" {
			s.Add(common, "set environments.NAME.storage for each environment whose server plinth starts",
				"storage cannot apply to environment %s, which uses an existing server (%s)", strictyaml.Bare(name), how)
			continue
		}
		s.share(common, environment, "storage", used)
	}
	for i := 0; i+1 < len(common.Content); i += 2 {
		key, value := common.Content[i], common.Content[i+1]
		if _, flag := s.Elsewhere[value]; flag && !used[value] && s.Err() == nil {
			first := strictyaml.Bare(environments.Content[0].Value)
			s.Add(value, "set environments."+first+".storage."+key.Value+" and likewise in the other environments, or remove it from all of them",
				"storage.%s: no environment would use it, because each declares its own", strictyaml.Bare(key.Value))
		}
	}
	s.inherit(common)
	s.root.Content = rest
}

// existing returns the key by which an environment uses an existing server, or "".
func existing(environment *yaml.Node) string {
	if strictyaml.Lookup(environment, "connect") != nil {
		return "connect"
	}
	kubernetes := strictyaml.Lookup(environment, "kubernetes")
	if kubernetes != nil && kubernetes.Kind == yaml.MappingNode && strictyaml.Lookup(kubernetes, "existing") != nil {
		return "kubernetes.existing"
	}
	return ""
}

// share adds the entries of a mapping to the mapping at a key of into, unless that has an entry of
// the same name. Tablespaces are compared by their own names. used collects the values that were
// added.
func (s *source) share(common, into *yaml.Node, key string, used map[*yaml.Node]bool) {
	own := strictyaml.Lookup(into, key)
	switch {
	case own == nil || strictyaml.IsNull(own):
		own = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: common.Line, Column: common.Column}
		into.Content = append(without(into, key), s.Word(key, common), own)
	case own.Kind != yaml.MappingNode:
		return
	default: // the same node may serve several environments (a YAML alias)
		own = &yaml.Node{Kind: own.Kind, Tag: own.Tag, Line: own.Line, Column: own.Column, Content: slices.Clone(own.Content)}
		into.Content = replaced(into.Content, key, own)
	}
	for i := 0; i+1 < len(common.Content); i += 2 {
		name, value := common.Content[i], common.Content[i+1]
		switch present := strictyaml.Lookup(own, name.Value); {
		case present == nil:
			own.Content = append(own.Content, name, value)
			used[value] = true
		case name.Value == "tablespaces" && value.Kind == yaml.MappingNode:
			s.share(value, own, name.Value, used)
			used[value] = used[value] || slices.ContainsFunc(value.Content, func(n *yaml.Node) bool { return used[n] })
		}
	}
}

// replaced returns the content of a mapping with another value for a key.
func replaced(content []*yaml.Node, key string, value *yaml.Node) []*yaml.Node {
	content = slices.Clone(content)
	for i := 0; i+1 < len(content); i += 2 {
		if content[i].Value == key {
			content[i+1] = value
		}
	}
	return content
}
