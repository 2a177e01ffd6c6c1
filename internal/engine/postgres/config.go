package postgres

import (
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
	RunID       string // unique among executions of experiments: [a-z0-9]+

	// Of an Own server only.
	Programs  Programs
	User      *host.User // who runs it; nil for plinth's own user
	DataDir   string
	WALDir    string // "" leaves the write-ahead log with the data
	SocketDir string // at most 90 bytes: its sockets' paths may have 107
}

// Declared are the settings that the experiment asks of an environment: those
// for all, then its own.
func Declared(exp *experiment.Experiment, env experiment.Environment) map[string]string {
	return exp.SettingsOf(env)
}
