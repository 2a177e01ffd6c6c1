package experiment

import (
	"embed"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"plinth/internal/hint"
	"plinth/internal/strictyaml"
)

//go:embed builtin/*.yaml
var builtinFiles embed.FS

// BuiltinInfo is a built-in experiment as a list shows it.
type BuiltinInfo struct {
	Name     string `json:"name" yaml:"name"`
	Question string `json:"question" yaml:"question"`
}

// Builtins is the experiments that are part of the program, by name.
func Builtins() []BuiltinInfo {
	var infos []BuiltinInfo
	for _, name := range builtinNames() {
		var info BuiltinInfo
		data, err := builtinFiles.ReadFile(path.Join("builtin", name+".yaml"))
		if err == nil && yaml.Unmarshal(data, &info) == nil { // a test loads each
			infos = append(infos, info)
		}
	}
	return infos
}

// LoadBuiltin loads a built-in experiment as Load does a file. Device files that
// sets name are found relative to the current directory.
func LoadBuiltin(name string, sets []string) (*Experiment, []Warning, error) {
	data, err := builtinFiles.ReadFile(path.Join("builtin", name+".yaml"))
	if err != nil {
		return nil, nil, mistake(hint.DidYouMean(name, builtinNames(), "there is "+strings.Join(builtinNames(), ", ")),
			"no built-in experiment %s", strictyaml.Quote(name))
	}
	e, warnings, err := Parse("built-in "+name+".yaml", data, ".", sets)
	if err != nil {
		return nil, nil, err
	}
	return e, warnings, absolute(e)
}

func builtinNames() []string {
	files, _ := builtinFiles.ReadDir("builtin") // embedded: always there
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = strings.TrimSuffix(f.Name(), ".yaml")
	}
	return names
}
