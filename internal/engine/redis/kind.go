// Package redis is the life of a Redis or Valkey server in an experiment. An Own
// server is made by the installed programs and thrown away; a Connected one was
// there before and keeps all but keys of plinth's own. The keys, what is known of
// them and how they are loaded is the same code for both.
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

// Kind is Redis, and Valkey, which began as Redis 7.2.
type Kind struct{}

var _ engine.Kind = Kind{}

// Undoers undo what servers of this package have left behind: keys in servers that
// were there. Servers of plinth's own are ended by their guards.
func (Kind) Undoers() journal.Undoers { return journal.Undoers{kindKeys: undoKeys} }

// Make makes a server with the installed programs.
func (Kind) Make(c engine.Config) (engine.Server, error) {
	program, err := FindProgram(c.Environment.Redis.Program)
	if err != nil {
		return nil, err
	}
	return NewOwn(c, program)
}

// Reach reaches the server that the environment connects to.
func (Kind) Reach(c engine.Config) (engine.Server, error) { return NewConnected(c) }

// ProgramDirs is that of the server's program: redis-cli is beside it.
func (Kind) ProgramDirs(env experiment.Environment) []string {
	program, err := FindProgram(env.Redis.Program)
	if err != nil || env.Connect.Secret() != "" {
		return nil
	}
	return []string{filepath.Dir(program.Path)}
}

// Commands are what an administrator would type to make a server with its data
// where places says, by their roles. plinth starts its servers under a guard and
// with settings of its own besides.
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

// ReplicaCommands are what an administrator would type to make a replica of a server
// that redis-cli finds.
func (k Kind) ReplicaCommands(e *experiment.Experiment, env experiment.Environment, places map[string]string) []string {
	lines := k.Commands(e, experiment.ReplicaOf(env), places)
	lines[0] += " --replicaof PRIMARY PORT"
	return lines
}

// Statement is what an administrator would type to have a server do something.
func (Kind) Statement(text string) string { return fmt.Sprintf("redis-cli %s", text) }
