package decode

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/experiment"
	"plinth/internal/strictyaml"
)

// apply applies the chosen form of the experiment and then sets, which override it. It removes the
// form's changes from the tree, so that loading the result again changes nothing.
func (s *source) apply(sets []string) {
	for _, flag := range sets {
		if strings.HasPrefix(flag, "form=") {
			s.set(flag)
		}
	}
	if form := strictyaml.Lookup(s.root, "form"); form != nil {
		s.applyForm(form)
	}
	for _, flag := range sets {
		s.set(flag)
	}
}

func (s *source) applyForm(form *yaml.Node) {
	name := form.Value
	if name != experiment.FormQuick && name != experiment.FormPublished {
		return // the decoder reports it
	}
	section := strictyaml.Lookup(s.root, name)
	if section == nil || section.Kind != yaml.MappingNode {
		s.Add(form, "add "+name+": {set: {duration: 5s}} to the file, or run it as it is",
			"the experiment has no %s form", name)
		return
	}
	changes := strictyaml.Lookup(section, "set")
	if changes == nil || changes.Kind != yaml.MappingNode {
		return // already applied, or a mistake
	}
	defer func(before string) { s.origin = before }(s.origin)
	s.origin = name + ".set."
	for entry := range strictyaml.Entries(changes) {
		if entry.Key.Kind != yaml.ScalarNode || entry.Value.Kind != yaml.ScalarNode {
			return // the decoder reports it
		}
		if slices.Contains([]string{"form", experiment.FormQuick, experiment.FormPublished}, entry.Key.Value) {
			s.Add(entry.Key, "", "%s.set: a form cannot change %s", name, entry.Key.Value)
			return
		}
		s.set(entry.Key.Value + "=" + entry.Value.Value)
	}
	section.Content = without(section, "set")
}
