package preview

import (
	"fmt"

	"plinth/internal/engine"
	"plinth/internal/experiment"
	"plinth/internal/runner/engines"
	"plinth/internal/volume"
)

// Commands are what an administrator would type to lay out the environments of an
// experiment, a line each: from the disk up, and then the server.
func Commands(e *experiment.Experiment) []string {
	lines := []string{"# a sketch of what plinth does itself: read it before you paste it"}
	var numbers volume.Numbers
	kind := engines.Of(e)
	for _, environment := range e.Environments {
		if engines.Connected(environment) {
			lines = append(lines, fmt.Sprintf("# %s: a server that is there already", environment.Name), "")
			continue
		}
		for _, c := range numbers.Commands(environment.Name, environment.Storage) {
			lines = append(lines, c.String())
		}
		lines = append(lines, fmt.Sprintf("# %s: the server", environment.Name))
		places, owned := placesOf(environment.Name, environment.Storage)
		lines = append(lines, owned...)
		lines = append(lines, kind.Commands(e, environment, places)...)
		if environment.Replica.There() {
			lines = append(lines, replicaCommands(kind, &numbers, e, environment)...)
		}
		lines = append(append(lines, eventCommands(kind, e.Events)...), "")
	}
	return lines
}

// placesOf are the directories of a server's parts, by role, and what gives them to it.
func placesOf(name string, s experiment.Storage) (places map[string]string, commands []string) {
	places = map[string]string{}
	for _, part := range s.Parts() {
		places[part.Role] = volume.PlaceOf(name, part)
		commands = append(commands, "chown postgres: "+places[part.Role])
	}
	return places, append(commands, "# from here on as that user")
}

// replicaCommands lay out the volumes of a replica and make it.
func replicaCommands(kind engine.Kind, numbers *volume.Numbers, e *experiment.Experiment, environment experiment.Environment) []string {
	name := environment.Name + "-replica"
	lines := []string{fmt.Sprintf("# %s: its replica", environment.Name)}
	for _, c := range numbers.Commands(name, environment.Replica.Storage) {
		lines = append(lines, c.String())
	}
	places, owned := placesOf(name, environment.Replica.Storage)
	return append(append(lines, owned...), kind.ReplicaCommands(e, environment, places)...)
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
