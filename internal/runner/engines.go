package runner

import (
	"context"
	"maps"
	"strconv"

	"plinth/internal/driver"
	"plinth/internal/driver/pgbench"
	"plinth/internal/engine"
	"plinth/internal/engine/postgres"
	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/journal"
	"plinth/internal/record"
	"plinth/internal/telemetry"
	pgstat "plinth/internal/telemetry/postgres"
	"plinth/internal/volume"
)

// This file alone knows which engines and drivers there are.

// undoers is every kind of change that can be undone.
func undoers() journal.Undoers {
	all := journal.Undoers{}
	maps.Copy(all, volume.Undoers())
	maps.Copy(all, postgres.Undoers())
	return all
}

func newDriver() (driver.Driver, error) {
	path, version, err := postgres.FindPgbench()
	if err != nil {
		return nil, err
	}
	return pgbench.New(path, version), nil
}

// needs is what an environment takes of its machine.
func needs(e *experiment.Experiment, environment experiment.Environment) (engine.Needs, error) {
	return postgres.Needs(e, environment)
}

// probe finds what would keep an environment's server from being made or reached.
func probe(ctx context.Context, e *experiment.Experiment, environment experiment.Environment) error {
	return postgres.Probe(ctx, e, environment)
}

// Parity names what differs between two environments without having been declared.
func Parity(a, b record.Environment) []record.Note { return postgres.Parity(a, b) }

func connected(e experiment.Environment) bool { return e.Connect.Secret() != "" }

// newServer lays out the storage of an environment and makes its server, not
// yet started.
func (r *Runner) newServer(e experiment.Environment) (engine.Server, []record.Volume, error) {
	pgbenchPath, _, err := postgres.FindPgbench()
	if err != nil {
		return nil, nil, err
	}
	config := postgres.Config{
		Experiment: r.experiment, Environment: e, Launcher: r.launcher, Journal: r.journal,
		Pgbench: pgbenchPath, RunID: r.runID() + strconv.Itoa(len(r.stage.places)), // two may be databases of one server
		Scratch: r.pipes,
	}
	if connected(e) {
		server, err := postgres.NewConnected(config)
		return server, nil, err
	}
	volumes, err := r.layOut(e, &config)
	if err != nil {
		return nil, nil, err
	}
	server, err := postgres.NewOwn(config)
	return server, volumes, err
}

// serverLane reads what a server says of itself; false where it says nothing.
func serverLane(server engine.Server) (lane telemetry.Lane, there bool) {
	switch s := server.(type) {
	case *postgres.Own:
		log := pgstat.NewLog()
		s.Follow(log.Line)
		return pgstat.Lane(pgstat.Options{Config: s.Statistics(), Backend: host.ProcessTime, Log: log}), true
	case *postgres.Connected:
		o := pgstat.Options{Config: s.Statistics()}
		if s.PID() > 0 {
			o.Backend = host.ProcessTime
		}
		return pgstat.Lane(o), true
	}
	return telemetry.Lane{}, false
}

// layOut makes the directories of an environment and enters them into config.
func (r *Runner) layOut(e experiment.Environment, config *postgres.Config) ([]record.Volume, error) {
	user, err := host.ServerUser()
	if err != nil {
		return nil, err
	}
	config.User = user
	if config.Programs, err = postgres.FindPrograms(e.Postgres.Version); err != nil {
		return nil, err
	}
	name := "plinth-" + r.runID() + "-" + e.Name
	data, err := volume.Make(r.journal, e.Storage.Data, name, "data", user)
	if err != nil {
		return nil, err
	}
	config.DataDir = data.Path
	volumes := []record.Volume{data.Facts()}
	if e.Storage.WAL != "" {
		wal, err := volume.Make(r.journal, e.Storage.WAL, name+"-wal", "wal", user)
		if err != nil {
			return nil, err
		}
		config.WALDir = wal.Path
		volumes = append(volumes, wal.Facts())
	}
	config.SocketDir, err = volume.SocketDir(r.journal, user)
	return volumes, err
}
