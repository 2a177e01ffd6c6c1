package runner

import (
	"context"
	"maps"
	"path/filepath"
	"strconv"

	"plinth/internal/driver"
	"plinth/internal/driver/pgbench"
	"plinth/internal/engine"
	"plinth/internal/engine/postgres"
	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/journal"
	"plinth/internal/limit"
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
	maps.Copy(all, limit.Undoers())
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

// newPlace lays out the storage of an environment and makes its server, not yet
// started. What was made for one that fails is in the journal.
func (r *Runner) newPlace(ctx context.Context, e experiment.Environment) (*place, error) {
	pgbenchPath, _, err := postgres.FindPgbench()
	if err != nil {
		return nil, err
	}
	p := &place{environment: e}
	config := postgres.Config{
		Experiment: r.experiment, Environment: e, Launcher: r.launcher, Journal: r.journal,
		Pgbench: pgbenchPath, RunID: r.runID() + strconv.Itoa(len(r.stage.places)), // two may be databases of one server
		Scratch: r.pipes,
	}
	if connected(e) {
		p.server, err = postgres.NewConnected(config)
		return p, err
	}
	if config.User, err = host.ServerUser(); err != nil {
		return nil, err
	}
	if config.Programs, err = postgres.FindPrograms(e.Postgres.Version); err != nil {
		return nil, err
	}
	if config.SocketDir, err = volume.SocketDir(r.journal, config.User); err != nil {
		return nil, err
	}
	if err := r.layOut(ctx, p, &config); err != nil {
		return nil, err
	}
	if e.Limits != (experiment.Limits{}) {
		if p.group, err = limit.Make(r.journal, "plinth-"+r.runID()+"-"+e.Name, e.Limits); err != nil {
			return nil, err
		}
		config.Groups = p.group.Directories()
	}
	p.server, err = postgres.NewOwn(config)
	return p, err
}

// layOut makes the volumes of a place and tells its server where they are.
func (r *Runner) layOut(ctx context.Context, p *place, config *postgres.Config) error {
	needs, err := needs(r.experiment, p.environment)
	if err != nil {
		return err
	}
	for _, part := range p.environment.Storage.Parts() {
		if part.Volume.Directory == "" { // else it is there at once
			r.now(Status{Step: "making", Environment: p.environment.Name, Detail: "the " + part.Role + " volume"})
		}
		v, err := volume.Make(ctx, volume.Options{
			Journal: r.journal, Launcher: r.launcher, Owner: config.User, Name: "plinth-" + r.runID() + "-" + p.environment.Name,
			Size: needs.Volumes[part.Role], RateScale: r.rateScale, Seed: r.experiment.Seed,
		}, part)
		if err != nil {
			return err
		}
		p.volumes = append(p.volumes, v)
		switch part.Role {
		case experiment.RoleData:
			config.DataDir = v.Path
		case experiment.RoleWAL:
			config.WALDir = v.Path
		case experiment.RoleTemp:
			config.TempDir = v.Path
		default:
			config.Tablespaces = append(config.Tablespaces, postgres.TablespacePlace{Name: part.Name, Dir: v.Path})
		}
	}
	return nil
}

// programDirs are where programs that belong to the server of an environment are.
func programDirs(e experiment.Environment) []string {
	programs, err := postgres.FindPrograms(e.Postgres.Version)
	if connected(e) || err != nil {
		return nil
	}
	return []string{filepath.Dir(programs.Postgres)}
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
