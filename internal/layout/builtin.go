package layout

import (
	"embed"
	"slices"
	"strings"

	"plinth/internal/hint"
)

//go:embed builtin/*.yaml
var builtins embed.FS

// Names returns the names of the inputs that are part of the program.
func Names() []string {
	entries, _ := builtins.ReadDir("builtin")
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// Builtin returns the file of an input that is part of the program.
func Builtin(name string) ([]byte, error) {
	if !slices.Contains(Names(), name) {
		return nil, hint.Errorf(hint.DidYouMean(name, Names(), "the name of a file has a slash or ends in .yaml; built in: "+strings.Join(Names(), ", ")), "there is no layout %q", name)
	}
	return builtins.ReadFile("builtin/" + name + ".yaml")
}
