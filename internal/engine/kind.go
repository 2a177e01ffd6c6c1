package engine

import (
	"context"

	"plinth/internal/experiment"
	"plinth/internal/host/launch"
	"plinth/internal/journal"
	"plinth/internal/record"
)

// Kind is a database before any server of it exists: what a server will need, what would prevent
// its creation, and how to create it.
type Kind interface {
	// Undoers returns the functions that undo what servers of this kind leave behind, by the kind
	// of the change.
	Undoers() journal.Undoers

	// Needs returns what an environment's server will use of its machine.
	Needs(e *experiment.Experiment, env experiment.Environment) (Needs, error)

	// Probe finds what would prevent an environment's server from being created or reached,
	// before any work is done.
	Probe(ctx context.Context, e *experiment.Experiment, env experiment.Environment) error

	// Parity returns the differences between two environments that were not declared.
	Parity(a, b record.Environment) []record.Note

	// Make creates a server of plinth's own, not yet started; Reach connects to an existing one.
	Make(c Config) (Server, error)
	Reach(c Config) (Server, error)

	// ProgramDirs returns the directories of the programs that belong to an environment's server:
	// events may call these by name.
	ProgramDirs(env experiment.Environment) []string

	// Commands returns what an administrator would type to create an environment's server on its
	// volumes, by role; ReplicaCommands, to create its replica on the replica's volumes;
	// Statement, to run a statement on it.
	Commands(e *experiment.Experiment, env experiment.Environment, places map[string]string) []string
	ReplicaCommands(e *experiment.Experiment, env experiment.Environment, places map[string]string) []string
	Statement(text string) string
}

// Config holds what a server is created from. The directories exist, are private, owned by User and,
// unless Shares is set, empty; the caller, who created them, removes them.
type Config struct {
	Experiment  *experiment.Experiment
	Environment experiment.Environment
	Launcher    launch.Launcher
	Journal     *journal.Journal
	RunID       string // unique among servers of all executions: [a-z0-9]+
	Scratch     string // a private directory for small files; the caller journals it

	// Series begins RunID, and that of each earlier server of this environment whose journal is lost: what
	// these left in an existing server is removed. It is [a-z0-9]+, or empty for no earlier one.
	Series string

	// The following fields apply only to plinth's own servers.
	User      *launch.User // user that runs it; nil for plinth's own user
	Places    []Place      // at least that of the data
	SocketDir string       // at most 90 bytes, as paths of sockets may have 107
	Access    *Access      // how load generators on other machines reach it; nil if none may

	// Shares is the server whose data this one uses, as it was loaded. Only one of them runs at a time. It
	// is nil for a server with its own data.
	Shares Server

	// Groups are directories of cgroups that the server runs in. The programs that create and
	// load it run outside of them.
	Groups []string
}

// Place is the directory of a volume.
type Place struct {
	Role string // as in experiment.Part: "data", "wal", "temp" or "tablespace NAME"
	Name string // of the tablespace; else the role
	Dir  string
}

// Dir returns the directory of a role; "" if the role has no separate directory.
func (c Config) Dir(role string) string {
	for _, p := range c.Places {
		if p.Role == role {
			return p.Dir
		}
	}
	return ""
}
