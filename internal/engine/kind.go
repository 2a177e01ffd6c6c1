package engine

import (
	"context"

	"plinth/internal/experiment"
	"plinth/internal/host/launch"
	"plinth/internal/journal"
	"plinth/internal/record"
)

// Kind is one database as an experiment meets it before there is a server: what it
// will need, what keeps it from being made, and what makes it.
type Kind interface {
	// Undoers undo what servers of this kind leave behind, by the kind of the change.
	Undoers() journal.Undoers

	// Needs is what an environment's server will take of its machine.
	Needs(e *experiment.Experiment, env experiment.Environment) (Needs, error)

	// Probe finds what would keep an environment's server from being made or
	// reached, while it costs nothing.
	Probe(ctx context.Context, e *experiment.Experiment, env experiment.Environment) error

	// Parity names what differs between two environments without having been declared.
	Parity(a, b record.Environment) []record.Note

	// Make makes a server of plinth's own, not yet started; Reach one that is there.
	Make(c Config) (Server, error)
	Reach(c Config) (Server, error)

	// ProgramDirs are where programs are that belong to the server of an environment:
	// events may call them by name.
	ProgramDirs(env experiment.Environment) []string

	// Commands are what an administrator would type to make an environment's server
	// on the places of its volumes, by role; ReplicaCommands, to make its replica on
	// those of the replica; Statement, to have it do something.
	Commands(e *experiment.Experiment, env experiment.Environment, places map[string]string) []string
	ReplicaCommands(e *experiment.Experiment, env experiment.Environment, places map[string]string) []string
	Statement(text string) string
}

// Config is what a server is made of. The directories are there, empty, private
// and owned by User; they are removed by whoever made them.
type Config struct {
	Experiment  *experiment.Experiment
	Environment experiment.Environment
	Launcher    launch.Launcher
	Journal     *journal.Journal
	RunID       string // unique among servers of all executions: [a-z0-9]+
	Scratch     string // a private directory for small files, journaled by whoever made it

	// Of a server of plinth's own only.
	User      *launch.User // who runs it; nil for plinth's own user
	Places    []Place      // at least that of the data
	SocketDir string       // at most 90 bytes: its sockets' paths may have 107

	// Groups are directories of control groups that the server runs in. The programs
	// that make and load it stay outside.
	Groups []string
}

// Place is the directory of a volume.
type Place struct {
	Role string // as experiment.Part has it: "data", "wal", "temp" or "tablespace NAME"
	Name string // of the tablespace; else the role
	Dir  string
}

// Dir is the directory of a role; "" where it has none of its own.
func (c Config) Dir(role string) string {
	for _, p := range c.Places {
		if p.Role == role {
			return p.Dir
		}
	}
	return ""
}
