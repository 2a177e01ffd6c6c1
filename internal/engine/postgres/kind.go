// Package postgres runs a PostgreSQL server in an experiment. An Own server is created with the
// installed programs and discarded afterwards; a Connected server already exists, and plinth
// only creates a database in it. Both share the code for the database, its dataset and its
// description.
package postgres

import (
	"path/filepath"

	"plinth/internal/engine"
	"plinth/internal/engine/postgres/install"
	"plinth/internal/experiment"
)

// Kind is PostgreSQL.
type Kind struct{}

var _ engine.Kind = Kind{}

// Make creates a server with the installed programs.
func (Kind) Make(c engine.Config) (engine.Server, error) {
	config, err := configOf(c)
	if err != nil {
		return nil, err
	}
	if config.Programs, err = install.FindPrograms(c.Environment.Postgres.Version, c.Environment.Postgres.Directory); err != nil {
		return nil, err
	}
	return NewOwn(config)
}

// Reach returns the server that the environment connects to.
func (Kind) Reach(c engine.Config) (engine.Server, error) {
	config, err := configOf(c)
	if err != nil {
		return nil, err
	}
	return NewConnected(config)
}

func configOf(c engine.Config) (Config, error) {
	pgbench, _, err := install.FindPgbench()
	if err != nil {
		return Config{}, err
	}
	config := Config{
		Config: c, Pgbench: pgbench,
		DataDir: c.Dir(experiment.RoleData), WALDir: c.Dir(experiment.RoleWAL), TempDir: c.Dir(experiment.RoleTemp),
	}
	for _, p := range c.Places {
		switch p.Role {
		case experiment.RoleData, experiment.RoleWAL, experiment.RoleTemp:
		default:
			config.Tablespaces = append(config.Tablespaces, TablespacePlace{Name: p.Name, Dir: p.Dir})
		}
	}
	return config, nil
}

// ProgramDirs returns the directory of the server's programs.
func (Kind) ProgramDirs(env experiment.Environment) []string {
	programs, err := install.FindPrograms(env.Postgres.Version, env.Postgres.Directory)
	if err != nil || env.Connect.Secret() != "" {
		return nil
	}
	return []string{filepath.Dir(programs.Postgres)}
}

// Config holds what a server is created from: engine.Config, the programs, and the places by what
// PostgreSQL keeps there.
type Config struct {
	engine.Config
	Pgbench string // path of the program

	// The following fields apply only to an Own server.
	Programs    install.Programs
	DataDir     string
	WALDir      string // "" leaves the write-ahead log with the data
	TempDir     string // "" leaves temporary files and tables with the data
	Tablespaces []TablespacePlace
}

// TablespacePlace is a tablespace of an Own server: its name and its directory.
type TablespacePlace struct{ Name, Dir string }
