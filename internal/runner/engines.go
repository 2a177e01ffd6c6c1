package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"plinth/internal/driver"
	"plinth/internal/driver/pgbench"
	"plinth/internal/driver/redisbench"
	"plinth/internal/driver/redisload"
	"plinth/internal/engine"
	"plinth/internal/engine/postgres"
	"plinth/internal/engine/redis"
	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/journal"
	"plinth/internal/limit"
	"plinth/internal/record"
	"plinth/internal/telemetry"
	pgstat "plinth/internal/telemetry/postgres"
	redisstat "plinth/internal/telemetry/redis"
	"plinth/internal/tune"
	"plinth/internal/volume"
)

// This file alone knows which engines and drivers there are.

// family is an engine and what goes with it.
type family struct {
	engine.Kind
	servers []string // as record.Environment names them
	// driver finds the load generator of an experiment.
	driver func(*experiment.Experiment) (driver.Driver, error)
	// lane reads what a server says of itself; false where it says nothing.
	lane func(engine.Server) (lane telemetry.Lane, there bool)
}

var families = map[string]family{
	experiment.EnginePostgres: {Kind: postgres.Kind{}, servers: []string{"PostgreSQL"}, driver: newPgbench, lane: postgresLane},
	experiment.EngineRedis:    {Kind: redis.Kind{}, servers: []string{"Redis", "Valkey"}, driver: newRedisDriver, lane: redisLane},
}

func familyOf(e *experiment.Experiment) family { return families[e.Engine] }

// undoers is every kind of change that can be undone.
func undoers() journal.Undoers {
	all := journal.Undoers{}
	maps.Copy(all, volume.Undoers())
	maps.Copy(all, limit.Undoers())
	maps.Copy(all, tune.Undoers(tune.Kernel{}))
	for _, f := range families {
		maps.Copy(all, f.Undoers())
	}
	return all
}

// Parity names what differs between two environments without having been declared.
// Those of two engines differ in everything.
func Parity(a, b record.Environment) []record.Note {
	for _, f := range families {
		if slices.Contains(f.servers, a.Server) && slices.Contains(f.servers, b.Server) {
			return f.Parity(a, b)
		}
	}
	return []record.Note{{Rule: "parity-engine", Text: fmt.Sprintf("%s is %s, %s is %s", a.Name, a.Server, b.Name, b.Server)}}
}

func newPgbench(*experiment.Experiment) (driver.Driver, error) {
	path, version, err := postgres.FindPgbench()
	if err != nil {
		return nil, err
	}
	return pgbench.New(path, version), nil
}

func newRedisDriver(e *experiment.Experiment) (driver.Driver, error) {
	if e.Generator == experiment.OwnGenerator {
		return redisload.New(""), nil
	}
	program, err := redisbench.FindBenchmark()
	if err != nil {
		return nil, err
	}
	return redisbench.New(program), nil
}

func connected(e experiment.Environment) bool { return e.Connect.Secret() != "" }

// newPlace lays out the storage of an environment and makes its server, not yet
// started, and its replica. What was made for one that fails is in the journal.
func (r *Runner) newPlace(ctx context.Context, e experiment.Environment) (*place, error) {
	id := r.runID() + strconv.Itoa(len(r.stage.places)) // two may be databases of one server
	p, err := r.newServer(ctx, e, e.Storage.Parts(), id)
	if err != nil || !e.Replica.There() {
		return p, err
	}
	if p.replica, err = r.newServer(ctx, experiment.ReplicaOf(e), e.Replica.Parts(), id+"r"); err != nil {
		return nil, fmt.Errorf("the replica: %w", err)
	}
	if _, can := p.replica.server.(engine.Replicator); !can {
		return nil, errors.New("this server cannot be a replica")
	}
	return p, nil
}

// newServer lays out parts and makes the server on them.
func (r *Runner) newServer(ctx context.Context, e experiment.Environment, parts []experiment.Part, id string) (*place, error) {
	family := familyOf(r.experiment)
	p := &place{environment: e}
	config := engine.Config{
		Experiment: r.experiment, Environment: e, Launcher: r.launcher, Journal: r.journal,
		RunID: id, Scratch: r.pipes,
	}
	var err error
	if connected(e) {
		p.server, err = family.Reach(config)
		return p, err
	}
	if config.User, err = host.ServerUser(); err != nil {
		return nil, err
	}
	if config.SocketDir, err = volume.SocketDir(r.journal, config.User); err != nil {
		return nil, err
	}
	if config.Places, err = r.layOut(ctx, p, parts, config.User, "plinth-"+id+"-"+e.Name); err != nil {
		return nil, err
	}
	if err := r.confine(p, e, &config, "plinth-"+id+"-"+e.Name); err != nil {
		return nil, err
	}
	p.server, err = family.Make(config)
	return p, err
}

// confine makes the control groups of a server that has limits, or a place on the
// machine.
func (r *Runner) confine(p *place, e experiment.Environment, config *engine.Config, name string) error {
	where := r.where(e.Name)
	if e.Limits == (experiment.Limits{}) && len(where.CPUs) == 0 && where.Nodes == "" {
		return nil
	}
	var err error
	if p.group, err = limit.Make(r.journal, name, e.Limits, where); err == nil {
		config.Groups = p.group.Directories()
	}
	return err
}

// layOut makes the volumes of a place, and says where they are.
func (r *Runner) layOut(ctx context.Context, p *place, parts []experiment.Part, owner *host.User, name string) ([]engine.Place, error) {
	needs, err := familyOf(r.experiment).Needs(r.experiment, p.environment)
	if err != nil {
		return nil, err
	}
	var places []engine.Place
	for _, part := range parts {
		if part.Volume.Directory == "" { // else it is there at once
			r.now(Status{Step: "making", Environment: p.environment.Name, Detail: "the " + part.Role + " volume"})
		}
		v, err := volume.Make(ctx, volume.Options{
			Journal: r.journal, Launcher: r.launcher, Owner: owner, Name: name,
			Size: needs.Volumes[roleOf(part)], RateScale: r.rateScale, Form: r.form, Seed: r.experiment.Seed,
		}, part)
		if err != nil {
			return nil, err
		}
		p.volumes = append(p.volumes, v)
		if err := r.tuneDisk(ctx, p, part, v); err != nil {
			return nil, err
		}
		places = append(places, engine.Place{Role: roleOf(part), Name: part.Name, Dir: v.Path})
	}
	return places, nil
}

func postgresLane(server engine.Server) (lane telemetry.Lane, there bool) {
	switch s := server.(type) {
	case *postgres.Own:
		log := pgstat.NewLog()
		s.FollowLog(log.Line)
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

func redisLane(server engine.Server) (lane telemetry.Lane, there bool) {
	switch s := server.(type) {
	case *redis.Own:
		log := redisstat.NewLog()
		s.FollowLog(log.Line)
		return redisstat.Lane(redisstat.Options{Client: s.Statistics(), Log: log}), true
	case *redis.Connected:
		return redisstat.Lane(redisstat.Options{Client: s.Statistics()}), true
	}
	return telemetry.Lane{}, false
}
