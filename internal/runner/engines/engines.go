// Package engines lists the engines, their load generators, and the code that reads their
// servers' statistics. It is the only such list: to add an engine, add one line here.
package engines

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/driver"
	"plinth/internal/driver/pgbench"
	"plinth/internal/driver/redisbench"
	"plinth/internal/driver/redisload"
	"plinth/internal/engine"
	"plinth/internal/engine/postgres"
	"plinth/internal/engine/postgres/install"
	"plinth/internal/engine/redis"
	"plinth/internal/experiment"
	"plinth/internal/host"
	"plinth/internal/journal"
	"plinth/internal/kube/cluster"
	"plinth/internal/limit"
	"plinth/internal/record"
	"plinth/internal/telemetry"
	pgstat "plinth/internal/telemetry/postgres"
	redisstat "plinth/internal/telemetry/redis"
	"plinth/internal/tune"
	"plinth/internal/volume"
)

// Family is an engine with its load generator and telemetry.
type Family struct {
	engine.Kind
	servers []string // values of record.Environment.Server
	// Driver returns the load generator of an experiment.
	Driver func(*experiment.Experiment) (driver.Driver, error)
	// Lane reads a server's own statistics; false if the server has none.
	Lane func(engine.Server) (lane telemetry.Lane, there bool)
}

var families = map[string]Family{
	experiment.EnginePostgres: {Kind: postgres.Kind{}, servers: []string{"PostgreSQL"}, Driver: newPgbench, Lane: postgresLane},
	experiment.EngineRedis:    {Kind: redis.Kind{}, servers: []string{"Redis", "Valkey"}, Driver: newRedisDriver, Lane: redisLane},
}

// Of returns the family of an experiment's engine.
func Of(e *experiment.Experiment) Family { return families[e.Engine] }

// Undoers returns the undo functions for every kind of change that an experiment makes.
func Undoers() journal.Undoers {
	all := journal.Undoers{}
	maps.Copy(all, volume.Undoers())
	maps.Copy(all, limit.Undoers())
	maps.Copy(all, tune.Undoers(tune.Kernel{}))
	maps.Copy(all, cluster.Undoers())
	for _, f := range families {
		maps.Copy(all, f.Undoers())
	}
	return all
}

// Parity lists the undeclared differences between two environments. Environments of two engines
// are not compared further.
func Parity(a, b record.Environment) []record.Note {
	for _, f := range families {
		if slices.Contains(f.servers, a.Server) && slices.Contains(f.servers, b.Server) {
			return f.Parity(a, b)
		}
	}
	return []record.Note{{Rule: "parity-engine", Text: fmt.Sprintf("%s is %s, %s is %s", a.Name, a.Server, b.Name, b.Server)}}
}

func newPgbench(e *experiment.Experiment) (driver.Driver, error) {
	path, version, err := install.FindPgbench()
	if err == nil {
		err = pgbench.CheckTries(e, version)
	}
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

// Connected reports whether an environment uses an existing server.
func Connected(e experiment.Environment) bool { return e.Connect.Secret() != "" }

func postgresLane(server engine.Server) (lane telemetry.Lane, there bool) {
	s, there := server.(interface{ Statistics() *pgx.ConnConfig })
	if !there {
		return telemetry.Lane{}, false
	}
	o := pgstat.Options{Config: s.Statistics()}
	if local, can := server.(engine.Local); can && local.PID() > 0 {
		o.Backend = host.ProcessTimeBeside(local.PID())
	}
	if follower, can := server.(engine.LogFollower); can {
		o.Log, o.Backend = pgstat.NewLog(), host.ProcessTime
		follower.FollowLog(o.Log.Line)
	}
	return pgstat.Lane(o), true
}

func redisLane(server engine.Server) (lane telemetry.Lane, there bool) {
	s, there := server.(interface{ Statistics() *goredis.Options })
	if !there {
		return telemetry.Lane{}, false
	}
	o := redisstat.Options{Client: s.Statistics()}
	if follower, can := server.(engine.LogFollower); can {
		o.Log = redisstat.NewLog()
		follower.FollowLog(o.Log.Line)
	}
	return redisstat.Lane(o), true
}

// NeedsOf returns the needs of an environment's server and of its replica, whose volumes have
// separate roles.
func NeedsOf(e *experiment.Experiment, environment experiment.Environment) (engine.Needs, error) {
	needs, err := Of(e).Needs(e, environment)
	if err != nil || !environment.Replica.There() {
		return needs, err
	}
	replica, err := Of(e).Needs(e, experiment.ReplicaOf(environment))
	if err != nil {
		return needs, fmt.Errorf("the replica: %w", err)
	}
	for role, size := range replica.Volumes {
		needs.Volumes[experiment.RoleReplica+" "+role] = size
	}
	needs.Memory += replica.Memory
	needs.SharedMemory += replica.SharedMemory
	needs.LoadTime += replica.LoadTime / 4 // files are copied, not generated
	needs.SwitchTime += replica.SwitchTime
	return needs, nil
}

// Widen raises the space that an environment's volumes need to the most that any environment needs
// that shares its data.
func Widen(e *experiment.Experiment, environment experiment.Environment, volumes map[string]int64) error {
	for _, other := range e.Environments {
		if other.DataOf != environment.Name {
			continue
		}
		needs, err := Of(e).Needs(e, other)
		if err != nil {
			return err
		}
		for role, size := range needs.Volumes {
			volumes[role] = max(volumes[role], size)
		}
	}
	return nil
}

// RoleOf returns the role of a part as its server knows it, without "replica".
func RoleOf(part experiment.Part) string {
	return strings.TrimPrefix(part.Role, experiment.RoleReplica+" ")
}
