package preview

import (
	"fmt"
	"reflect"
	"slices"

	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/runner/engines"
	"plinth/internal/volume"
)

// Commands returns the shell commands that would set up the environments of an experiment, one
// per line: from the disk up, then the server. If environments run on Kubernetes, it returns their
// objects as YAML, and the commands of the others as comments. version is plinth's.
func Commands(e *experiment.Experiment, version string) ([]string, error) {
	if len(e.OnKubernetes()) > 0 {
		return objects(e, version)
	}
	lines, err := shellCommands(e, e.Environments)
	return append([]string{"# an outline of what plinth does itself: review it before you run it"}, lines...), err
}

// shellCommands returns the commands that set up environments on machines.
func shellCommands(e *experiment.Experiment, environments []experiment.Environment) (lines []string, err error) {
	var sketch volume.Sketch
	kind := engines.Of(e)
	for i, environment := range environments {
		if engines.Connected(environment) {
			lines = append(lines, fmt.Sprintf("# %s: an existing server", environment.Name), "")
			continue
		}
		if first := slices.IndexFunc(environments[:i], func(o experiment.Environment) bool {
			return e.Dataset.Shared && reflect.DeepEqual(o.ApartFromSettings(), environment.ApartFromSettings())
		}); first >= 0 {
			lines = append(lines, fmt.Sprintf("# %s: the data of %s, with other settings", environment.Name, environments[first].Name), "")
			continue
		}
		laidOut, places, err := layOut(&sketch, environment.Name, environment.Storage, "the server")
		if err != nil {
			return nil, err
		}
		lines = append(append(lines, laidOut...), kind.Commands(e, environment, places)...)
		if environment.Replica.There() {
			lines = append(lines, fmt.Sprintf("# %s: its replica", environment.Name))
			laidOut, places, err := layOut(&sketch, environment.Name+"-replica", environment.Replica.Storage, "")
			if err != nil {
				return nil, err
			}
			lines = append(append(lines, laidOut...), kind.ReplicaCommands(e, environment, places)...)
		}
		lines = append(append(lines, eventCommands(kind, e.Events)...), "")
	}
	return lines, nil
}

// layOut returns the commands that set up a server's storage and give it to the server's user,
// and the directories of its parts, by role. The caller appends the server's own commands.
func layOut(sketch *volume.Sketch, name string, s experiment.Storage, title string) (lines []string, places map[string]string, err error) {
	commands, places, err := sketch.Commands(name, s)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range commands {
		lines = append(lines, c.String())
	}
	if title != "" {
		lines = append(lines, fmt.Sprintf("# %s: %s", name, title))
	}
	for _, part := range s.Parts() {
		lines = append(lines, "chown postgres: "+places[part.Role])
	}
	return append(lines, "# from here on, run as that user"), places, nil
}

// eventCommands returns the commands of events during the load.
func eventCommands(kind engine.Kind, events []experiment.Event) []string {
	var lines []string
	for _, e := range events {
		lines = append(lines, fmt.Sprintf("# %s, %s after the start of the measured window", e.Name, e.At))
		if statement := e.Statement(); statement != "" {
			lines = append(lines, kind.Statement(statement))
		} else {
			lines = append(lines, volume.Command{Argv: e.Command}.String())
		}
	}
	return lines
}
