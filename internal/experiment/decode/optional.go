package decode

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/experiment"
	"plinth/internal/strictyaml"
)

// leaveOut removes the optional environments whose connection string is empty before anything is decoded:
// the decoder and all checks then see only environments that have a server. The baseline is never optional.
func (s *source) leaveOut() (absent []experiment.Absent) {
	environments := strictyaml.Lookup(s.root, "environments")
	if environments == nil || environments.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(environments.Content); {
		name, of := environments.Content[i], environments.Content[i+1]
		if !s.withoutServer(name, of) {
			i += 2
			continue
		}
		absent = append(absent, experiment.Absent{
			Environment: name.Value, Reason: "no connection string is given (environments." + name.Value + ".connect)",
		})
		environments.Content = slices.Delete(environments.Content, i, i+2)
		s.dropComparisons(name.Value)
	}
	return absent
}

// dropComparisons removes the comparisons of an environment from the list of those to decide.
func (s *source) dropComparisons(environment string) {
	if compare := strictyaml.Lookup(s.root, "compare"); compare != nil && compare.Kind == yaml.SequenceNode {
		compare.Content = slices.DeleteFunc(compare.Content, func(n *yaml.Node) bool { return strings.HasSuffix(n.Value, "/"+environment) })
	}
}

// withoutServer reports whether an environment is optional and has an empty connection string.
func (s *source) withoutServer(name, of *yaml.Node) bool {
	if of.Kind != yaml.MappingNode || !experiment.ValidName.MatchString(name.Value) {
		return false // the decoder reports it
	}
	optional, connect := strictyaml.Lookup(of, "optional"), strictyaml.Lookup(of, "connect")
	if optional == nil || optional.Tag != "!!bool" || optional.Value != "true" || connect == nil || connect.Kind != yaml.ScalarNode || connect.Value != "" {
		return false
	}
	baseline := strictyaml.Lookup(s.root, "baseline")
	return baseline == nil || baseline.Value != name.Value
}
