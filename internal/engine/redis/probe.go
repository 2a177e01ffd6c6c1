package redis

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"plinth/internal/engine"
	"plinth/internal/engine/redis/client"
	"plinth/internal/experiment"
	"plinth/internal/hint"
	"plinth/internal/host/launch"
)

// Probe finds what is wrong with an environment before anything is created: a missing server
// program, settings that it rejects, too little memory, a server that can't be reached or must
// not be used.
func (Kind) Probe(ctx context.Context, e *experiment.Experiment, env experiment.Environment) error {
	err := drivable(e, env)
	switch {
	case err != nil:
	case env.Connect.Secret() == "":
		err = probeOwn(ctx, launch.NewLocal(), e, env)
	default:
		err = probeConnected(ctx, e, env)
	}
	if err != nil {
		return fmt.Errorf("environment %s: %w", env.Name, err)
	}
	return nil
}

// drivable returns an error if redis-benchmark cannot drive an environment. plinth's own load
// generator can drive all.
func drivable(e *experiment.Experiment, env experiment.Environment) error {
	const advice = "use generator: plinth"
	switch {
	case e.Generator != experiment.RedisBenchmark:
	case env.Connect.Secret() != "":
		return hint.Errorf(advice, "redis-benchmark chooses its own key names: on an existing server these keys may hold other data")
	case env.Replica.There():
		return hint.Errorf(advice, "a server with a replica requires a password, which redis-benchmark accepts only on its command line, where every user can read it")
	}
	return nil
}

func probeOwn(ctx context.Context, launcher launch.Launcher, e *experiment.Experiment, env experiment.Environment) error {
	program, err := FindProgram(env.Redis.Program, env.Redis.Directory)
	if err != nil {
		return err
	}
	if err := checkSettings(ctx, launcher, program, e.SettingsOf(env)); err != nil {
		return err
	}
	return checkFree(e, env)
}

func probeConnected(ctx context.Context, e *experiment.Experiment, env experiment.Environment) error {
	c, err := NewConnected(engine.Config{Experiment: e, Environment: env, RunID: "probe"})
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.examine(ctx)
	return err
}

// examine connects to the server and returns an error if it can't be used.
func (c *Connected) examine(ctx context.Context) (client.Info, error) {
	f, err := c.Info(ctx)
	switch {
	case ctx.Err() != nil:
		return f, ctx.Err()
	case client.Says(err, "LOADING"):
		return f, errLoading
	case client.Says(err, ""):
		return f, advise(fmt.Errorf("cannot use %s: %w", c.address.Address, err))
	case err != nil:
		return f, hint.Wrap(fmt.Errorf("cannot connect to %s: %w", c.address.Address, err), "check that the server is running and that this machine may connect to it")
	}
	if err := refuse(f, c.Experiment); err != nil {
		return f, err
	}
	if err := c.hasRoom(f); err != nil {
		return f, err
	}
	return f, c.tryCommands(ctx)
}

var errLoading = hint.Errorf("wait until it has finished; INFO's loading_eta_seconds gives the remaining time", "the server is still loading its dataset")

// refuse returns why a server can't be used.
func refuse(f client.Info, e *experiment.Experiment) error {
	program, text, number := f.Version()
	switch {
	case program == client.Redis && number < OldestVersion*10000:
		return fmt.Errorf("the server is Redis %s, older than %d, the oldest version that plinth supports", text, OldestVersion)
	case f["redis_mode"] == "sentinel":
		return hint.Errorf("connect to the primary", "the server is a sentinel: it holds no keys")
	case f["cluster_enabled"] == "1" || f["redis_mode"] == "cluster":
		return hint.Errorf("use a server that is not part of a cluster", "the server is part of a cluster: keys would be spread over several servers")
	case f["role"] == "slave":
		return hint.Errorf("connect to the primary", "the server is a replica, which accepts no writes")
	case f.Number("loading") != 0:
		return errLoading
	}
	most, inUse := f.Number("maxclients"), f.Number("connected_clients")-1
	if own := int64(experiment.OwnSessions + len(e.Events)); most > 0 && int64(e.Connections())+own > most-inUse {
		return hint.Errorf("lower clients, or raise maxclients",
			"the load needs %d connections, but the server has room for %d (maxclients is %d, %d in use, %d for plinth itself)",
			e.Connections(), max(0, most-inUse-own), most, inUse, own)
	}
	return nil
}

// hasRoom returns an error if the server lacks the memory for the keys.
func (c *Connected) hasRoom(f client.Info) error {
	needed := liveMemory(c.Experiment, c.Environment)
	used := f.Number("used_memory")
	if most := f.Number("maxmemory"); most > 0 && f["maxmemory_policy"] == "noeviction" {
		if err := fits(c.Experiment, c.Environment, needed, max(1, most-used), "the server's maxmemory leaves"); err != nil {
			return err
		}
	}
	if total := f.Number("total_system_memory"); total > 0 {
		return fits(c.Experiment, c.Environment, needed, max(1, total-used), "the server's machine has at most")
	}
	return nil
}

// tryCommands tries the commands that plinth needs, with a key that expires if plinth does not
// remove it: a server may have renamed a command, or forbid it to this user.
func (c *Connected) tryCommands(ctx context.Context) error {
	key := c.prefix + "probe"
	return c.Use(ctx, func(rdb *goredis.Client) error {
		for _, words := range [][]any{
			{"SET", key, "1", "EX", strconv.Itoa(int(time.Minute / time.Second))},
			{"GET", key}, {"SCAN", "0", "MATCH", key, "COUNT", "1"}, {"UNLINK", key},
		} {
			if err := rdb.Do(ctx, words...).Err(); err != nil && !errors.Is(err, goredis.Nil) {
				return advise(fmt.Errorf("the server rejects %s: %w", words[0], engine.Plain(err)))
			}
		}
		return nil
	})
}
