// Package redis runs a Redis or Valkey server in an experiment. An Own server is created with the
// installed programs and discarded afterwards; a Connected server already exists, and plinth only
// writes its own keys to it. Both share the code that loads the keys and describes
// the server.
package redis

import (
	"fmt"
	"path/filepath"

	"plinth/internal/engine"
	"plinth/internal/engine/redis/client"
	"plinth/internal/engine/redis/conf"
	"plinth/internal/experiment"
	"plinth/internal/journal"
)

// Kind is Redis, and Valkey, which is a fork of Redis 7.2.
type Kind struct{}

var _ engine.Kind = Kind{}

// Undoers returns the functions that undo what servers of this package have left behind: keys in
// connected servers. Guards end plinth's own servers.
func (Kind) Undoers() journal.Undoers { return journal.Undoers{kindKeys: undoKeys} }

// Make creates a server with the installed programs.
func (Kind) Make(c engine.Config) (engine.Server, error) {
	program, err := FindProgram(c.Environment.Redis.Program, c.Environment.Redis.Directory)
	if err != nil {
		return nil, err
	}
	return NewOwn(c, program)
}

// Reach returns the server that the environment connects to.
func (Kind) Reach(c engine.Config) (engine.Server, error) { return NewConnected(c) }

// ProgramDirs returns the directory of the server's program, which also holds redis-cli.
func (Kind) ProgramDirs(env experiment.Environment) []string {
	program, err := FindProgram(env.Redis.Program, env.Redis.Directory)
	if err != nil || env.Connect.Secret() != "" {
		return nil
	}
	return []string{filepath.Dir(program.Path)}
}

// Commands returns what an administrator would type to create a server with its data at places,
// by role. plinth also starts its servers under a guard and with additional settings.
func (Kind) Commands(e *experiment.Experiment, env experiment.Environment, places map[string]string) []string {
	program := "redis-server"
	if env.Redis.Program == client.Valkey {
		program = "valkey-server"
	}
	line := program + " --dir " + conf.QuoteWord(places[experiment.RoleData])
	directives, err := conf.Directives(e.SettingsOf(env))
	if err != nil {
		return []string{line}
	}
	for _, d := range directives {
		line += " --" + d.String()
	}
	return []string{line}
}

// ReplicaCommands returns what an administrator would type to create a replica.
func (k Kind) ReplicaCommands(e *experiment.Experiment, env experiment.Environment, places map[string]string) []string {
	lines := k.Commands(e, experiment.ReplicaOf(env), places)
	lines[0] += " --replicaof PRIMARY PORT"
	return lines
}

// Statement returns what an administrator would type to run a command.
func (Kind) Statement(text string) string { return fmt.Sprintf("redis-cli %s", text) }
