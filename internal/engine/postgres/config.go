package postgres

import (
	"plinth/internal/engine/postgres/install"
	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/journal"
)

// Config is what a server is made of. The directories are there, empty, private
// and owned by User; they are removed by whoever made them.
type Config struct {
	Experiment  *experiment.Experiment
	Environment experiment.Environment
	Launcher    host.Launcher
	Journal     *journal.Journal
	Pgbench     string // path of the program
	RunID       string // unique among servers of all executions: [a-z0-9]+
	Scratch     string // a private directory for small files, journaled by whoever made it

	// Of an Own server only.
	Programs  install.Programs
	User      *host.User // who runs it; nil for plinth's own user
	DataDir   string
	WALDir    string // "" leaves the write-ahead log with the data
	SocketDir string // at most 90 bytes: its sockets' paths may have 107
	TempDir   string // "" leaves temporary files and tables with the data

	Tablespaces []TablespacePlace

	// Groups are directories of control groups that the server runs in. The programs
	// that make and load it stay outside.
	Groups []string
}

// TablespacePlace is a tablespace of an Own server: its name and its directory.
type TablespacePlace struct{ Name, Dir string }
