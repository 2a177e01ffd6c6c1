package runner

import (
	"fmt"

	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/volume"
)

// Commands are what an administrator would type to lay out the environments of an
// experiment, a line each: from the disk up, and then the server.
func Commands(e *experiment.Experiment) []string {
	lines := []string{"# a sketch of what plinth does itself: read it before you paste it"}
	var numbers volume.Numbers
	kind := familyOf(e)
	for _, environment := range e.Environments {
		if connected(environment) {
			lines = append(lines, fmt.Sprintf("# %s: a server that is there already", environment.Name), "")
			continue
		}
		for _, c := range numbers.Commands(environment.Name, environment.Storage) {
			lines = append(lines, c.String())
		}
		places := map[string]string{}
		for _, part := range environment.Storage.Parts() {
			places[part.Role] = volume.PlaceOf(environment.Name, part)
		}
		lines = append(lines, fmt.Sprintf("# %s: the server", environment.Name))
		for _, part := range environment.Storage.Parts() {
			lines = append(lines, "chown postgres: "+places[part.Role])
		}
		lines = append(lines, "# from here on as that user")
		lines = append(lines, kind.Commands(e, environment, places)...)
		lines = append(append(lines, eventCommands(kind, e.Events)...), "")
	}
	return lines
}

// eventCommands are what happens while the load goes on.
func eventCommands(kind engine.Kind, events []experiment.Event) []string {
	var lines []string
	for _, e := range events {
		lines = append(lines, fmt.Sprintf("# %s, %s after the load's window began", e.Name, e.At))
		if statement := e.Statement(); statement != "" {
			lines = append(lines, kind.Statement(statement))
		} else {
			lines = append(lines, volume.Command{Argv: e.Command}.String())
		}
	}
	return lines
}
