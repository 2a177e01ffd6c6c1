package check

import (
	"slices"

	"plinth/internal/conninfo"
	"plinth/internal/experiment"
	"plinth/internal/strictyaml"
)

// events checks what happens during each run.
func (c *checker) events() {
	e := c.e
	if len(e.Events) == 0 || !c.Sound(&e.Events) {
		return
	}
	var names []string
	for i := range e.Events {
		v := &e.Events[i]
		c.name(&v.Name, "an event")
		if slices.Contains(names, v.Name) {
			c.Add(first(c.Places[&v.Name], c.Places[v]), "give each a name: of its own", "a second event named %s", strictyaml.Bare(v.Name))
		}
		names = append(names, v.Name)
		c.event(v)
	}
	for i := range e.Environments {
		if env := &e.Environments[i]; env.Connect != "" {
			c.Add(c.Places[&e.Events], "leave them out, or leave out connect",
				"events happen in servers that plinth makes, and %s is one that is already there", strictyaml.Bare(env.Name))
			return
		}
	}
}

func (c *checker) event(v *experiment.Event) {
	e := c.e
	switch statement, command := v.Statement() != "", len(v.Command) > 0; {
	case !statement && !command && e.Engine == experiment.EngineRedis:
		c.Add(c.Places[v], "add send: BGSAVE", "events: %s does nothing", v.Name)
	case !statement && !command:
		c.Add(c.Places[v], `add sql: "VACUUM;" or command: [pg_dump, --file=/dev/null]`, "events: %s does nothing", v.Name)
	case statement && command:
		c.Add(c.Places[v], "leave out one of the two", "events: %s has a statement and a command", v.Name)
	}
	if e.Duration > 0 && v.At >= e.Duration && c.Sound(&e.Duration) {
		c.Add(first(c.Places[&v.At], c.Places[v]), "", "events: %s is at %s, and a run is over after %s", v.Name, v.At, e.Duration)
	}
	for i := range v.Command {
		switch word := v.Command[i]; {
		case hasControl(word):
			c.Add(c.Places[&v.Command[i]], "", "events: a line break or control character in the command of %s", v.Name)
		case conninfo.HoldsPassword(word):
			c.Add(c.Places[&v.Command[i]], "leave it out: the program finds the server by PGHOST and the like",
				"events: the command of %s holds a password, and commands are recorded", v.Name)
		}
	}
}
