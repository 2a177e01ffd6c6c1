package check

import (
	"slices"

	"plinth/internal/conninfo"
	"plinth/internal/experiment"
	"plinth/internal/experiment/mistake"
	"plinth/internal/strictyaml"
)

// events checks the events of the runs.
func events(notes *mistake.Notes, e *experiment.Experiment) {
	if len(e.Events) == 0 || !notes.Sound(&e.Events) {
		return
	}
	var names []string
	for i := range e.Events {
		v := &e.Events[i]
		name(notes, &v.Name, "an event")
		if slices.Contains(names, v.Name) {
			notes.Add(first(notes.Places[&v.Name], notes.Places[v]), "give each its own name", "a second event named %s", strictyaml.Bare(v.Name))
		}
		names = append(names, v.Name)
		event(notes, e, v)
	}
	for i := range e.Environments {
		if env := &e.Environments[i]; env.Existing() {
			notes.Add(notes.Places[&e.Events], "leave them out, or leave out the existing server",
				"events run only in servers that plinth creates, and %s is an existing one", strictyaml.Bare(env.Name))
			return
		}
	}
}

func event(notes *mistake.Notes, e *experiment.Experiment, v *experiment.Event) {
	switch statement, command := v.Statement() != "", len(v.Command) > 0; {
	case !statement && !command && e.Engine == experiment.EngineRedis:
		notes.Add(notes.Places[v], "add an action, such as send: BGSAVE", "events: %s does nothing", v.Name)
	case !statement && !command:
		notes.Add(notes.Places[v], `add an action, such as sql: "VACUUM;" or command: [pg_dump, --file=/dev/null]`, "events: %s does nothing", v.Name)
	case statement && command:
		notes.Add(notes.Places[v], "leave out one of the two", "events: %s has a statement and a command", v.Name)
	}
	if e.Duration > 0 && v.At >= e.Duration && notes.Sound(&e.Duration) {
		notes.Add(first(notes.Places[&v.At], notes.Places[v]), "", "events: %s is at %s, but a run ends after %s", v.Name, v.At, e.Duration)
	}
	for i := range v.Command {
		switch word := v.Command[i]; {
		case hasControl(word):
			notes.Add(notes.Places[&v.Command[i]], "", "events: a line break or control character in the command of %s", v.Name)
		case conninfo.HoldsPassword(word):
			notes.Add(notes.Places[&v.Command[i]], "leave it out: the program connects through PGHOST and the other libpq variables",
				"events: the command of %s holds a password, and commands are recorded", v.Name)
		}
	}
}
