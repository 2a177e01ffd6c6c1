// Package builtin provides the experiments that are part of the program.
package builtin

import (
	"embed"
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/experiment"
	"plinth/internal/experiment/decode"
	"plinth/internal/experiment/mistake"
	"plinth/internal/hint"
	"plinth/internal/strictyaml"
)

//go:embed *.yaml
var files embed.FS

// Info describes a built-in experiment in a list.
type Info struct {
	Name     string `json:"name" yaml:"name"`
	Question string `json:"question" yaml:"question"`
}

// All returns the built-in experiments, sorted by name.
func All() []Info {
	var infos []Info
	for _, name := range Names() {
		var info Info
		data, err := files.ReadFile(name + ".yaml")
		if err == nil && yaml.Unmarshal(data, &info) == nil { // a test loads every one
			infos = append(infos, info)
		}
	}
	return infos
}

// Load loads a built-in experiment as decode.Load loads a file. Model files in sets
// are relative to the current directory.
func Load(name string, sets []string) (*experiment.Experiment, []experiment.Warning, error) {
	data, err := Text(name)
	if err != nil {
		return nil, nil, err
	}
	e, warnings, err := decode.Parse("built-in "+name+".yaml", data, ".", sets)
	if err != nil {
		return nil, nil, err
	}
	return e, warnings, decode.Absolute(e)
}

// Text returns the file of a built-in experiment.
func Text(name string) ([]byte, error) {
	data, err := files.ReadFile(name + ".yaml")
	if err != nil {
		return nil, mistake.Whole(hint.DidYouMean(name, Names(), "it can be "+hint.Choice(Names())),
			"no built-in experiment %s", strictyaml.Quote(name))
	}
	return data, nil
}

// Names returns the names of the built-in experiments, sorted.
func Names() []string {
	entries, _ := files.ReadDir(".") // embedded, so it cannot fail
	names := make([]string, len(entries))
	for i, f := range entries {
		names[i] = strings.TrimSuffix(f.Name(), ".yaml")
	}
	return names
}
